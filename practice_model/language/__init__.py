"""Reading English and Spanish: words, numbers, dates, entities, clauses, and how a clause asks."""
