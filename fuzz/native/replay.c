/* Run inputs through one entry without libFuzzer: replay --entry=NAME --tables=FOLDER FILE …
 *
 * For platforms that clang's libFuzzer is not at hand for, such as those that only an emulator runs (`make cross`). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **arguments) {
    static uint8_t data[4096];
    int files = 0;
    LLVMFuzzerInitialize(&count, &arguments);
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "--", 2) == 0) continue;
        FILE *file = fopen(arguments[i], "rb");
        if (!file) {
            fprintf(stderr, "%s: cannot be read\n", arguments[i]);
            return 2;
        }
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        files++;
    }
    printf("%d inputs\n", files);
    return 0;
}
