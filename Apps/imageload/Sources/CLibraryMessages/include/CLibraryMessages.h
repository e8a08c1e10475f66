#ifndef CLIBRARYMESSAGES_H
#define CLIBRARYMESSAGES_H

/* Hides what C libraries write to the standard error stream, such as the messages of libjxl, libde265 and dav1d about damaged images.
   They can't be switched off in the libraries. The descriptor 2 stays as it is, and so do the messages before a crash. Call it once,
   before other threads start. It only has an effect with the GNU C library. */
void hide_library_messages(void);

#endif
