"""What the services accept, written once: tables of data that import nothing else.

    models     which model ids exist, which are retired, and what each family accepts
    schemas    names and keywords of JSON Schema that a tool definition may hold; the schemas inside a schema
    services   addresses, environment variables, ids of models, limits of a request, and shapes of keys
    strict     what strict modes take of JSON Schema, and Gemini's subset of OpenAPI

The practice model refuses by these tables what the services refuse; the course reads them to write and to
review what the services take. Each table says where it comes from.
"""
