"""All rows, in the order of the table: importing a section adds its rows."""

from . import availability, files, injection, keys, loading, messages, others, outgoing, rights, texts

#: the row that looks at every answer of all others
ALWAYS = "always"
SECTIONS = (injection, texts, others, rights, keys, files, outgoing, availability, messages, loading)
