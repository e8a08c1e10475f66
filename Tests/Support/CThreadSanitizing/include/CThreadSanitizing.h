// Nothing to call: linking this in is enough.
