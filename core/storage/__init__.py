"""The database: connections, fields, how values travel, the statements of writes, the filter language."""
