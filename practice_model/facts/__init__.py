"""What the services accept, written once: tables of data that import nothing else.

    keywords   what each keyword of JSON Schema holds, and which of them strict modes and Gemini take
    models     which model ids exist, which are retired, and what each family accepts
    schemas    names that a tool definition may have, types of JSON, and the schemas inside a schema
    services   addresses, environment variables, ids of models, limits of a request, and shapes of keys

The practice model refuses by these tables what the services refuse; the course reads them to write and to
review what the services take. Each table says where it comes from.
"""
