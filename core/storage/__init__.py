"""The database: connections, fields, conversion of values, write statements, the filter language."""
