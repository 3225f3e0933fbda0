/* replay.c -- gives the files of a folder to a fuzz target, without a fuzzer. */
#include <dirent.h>

#include "test/fuzz/fuzz.h"

static int replay(const char *path)
{
    static uint8_t data[1 << 21];
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    int count = 0;
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    if (!folder) return fprintf(stderr, "usage: %s CORPUS\n", argv[0]), 1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[2000];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (replay(path) != 0) return fprintf(stderr, "cannot replay %s\n", path), 1;
        count++;
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return count == 0;
}
