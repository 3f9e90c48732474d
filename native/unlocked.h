/* Let the interpreter lock go while something long runs. */
#ifndef CHARLENS_UNLOCKED_H
#define CHARLENS_UNLOCKED_H

/* Under this many bytes the work is shorter than letting the interpreter lock go and taking it back. */
enum { WORTH_UNLOCKING = 4096 };

#define UNLOCKED(length, statement)                                                                                \
    do {                                                                                                           \
        if ((length) >= WORTH_UNLOCKING) {                                                                         \
            Py_BEGIN_ALLOW_THREADS statement;                                                                      \
            Py_END_ALLOW_THREADS                                                                                   \
        } else {                                                                                                   \
            statement;                                                                                             \
        }                                                                                                          \
    } while (0)

#endif
