// Has no functions to call. Linking this target is sufficient.
