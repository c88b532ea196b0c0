/*
 * Where a chunk writes: a nameless file, so that it costs the launcher nothing while it is written
 * and is gone with the last process that holds it. Cut back to its beginning and its tail while it
 * grows, so a chunk cannot fill the disk by talking. One that is to be kept whole has a name, and
 * is cut back when it has grown beyond that.
 */
struct output {
  int fd;
  size_t tailBytes;
  /** Kept from the first cut on. */
  byte *head;
  size_t headBytes;
  byte *earlier;
  size_t earlierBytes;
  long cutBytes;
  /** It has a name, and is whole up to here; 0 where it is not to be kept whole. */
  long wholeBytes;
};

static int outputsMade;

/** -1 when the disk takes no file: then there is no output, but the chunk runs. */
static int openOutput(const char *directory, const char *whole, long uid, long gid) {
  // Appending, so that what is written after a cut begins where the cut left the file.
  int flags = oRdwr | oAppend | oCloexec;
  char path[pathBytesMax];
  int fd;
  if (*whole) {
    snprintf(path, sizeof path, "%s/%s/%s", directory, WHOLE_DIRECTORY, whole);
    unlink(path);
    fd = open(path, flags | oCreat | oExcl, 0600);
    if (fd < 0) return -1;
  } else {
    fd = open(directory, flags | oTmpfile, 0600);
  }
  if (fd < 0) {
    outputsMade++;
    snprintf(path, sizeof path, "%s/launch-%d-%d", directory, getpid(), outputsMade);
    fd = open(path, flags | oCreat | oExcl, 0600);
    if (fd < 0) return -1;
    unlink(path);
  }
  if (uid >= 0 && fchown(fd, (uint)uid, (uint)gid) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static int isContinuation(byte one) { return (one & 0xc0) == 0x80; }

/** How many bytes a character has that begins with this one; 1 for what begins none. */
static int lengthOf(byte one) {
  if (one >= 0xf0 && one < 0xf5) return 4;
  if (one >= 0xe0 && one < 0xf0) return 3;
  return one >= 0xc2 && one < 0xe0 ? 2 : 1;
}

/** Where the first whole character at or after `at` begins; other bytes are kept as they are. */
static size_t characterFrom(const byte *bytes, size_t count, size_t at) {
  for (size_t back = 1; back < CHARACTER_BYTES_MAX && back <= at; back++) {
    if (isContinuation(bytes[at - back])) continue;
    size_t end = at - back + lengthOf(bytes[at - back]);
    if (end <= at) return at;
    for (size_t one = at; one < end; one++) {
      if (one >= count || !isContinuation(bytes[one])) return at;
    }
    return end;
  }
  return at;
}

/** The tail of so many bytes: its first, and how many. */
static size_t tailOf(const byte *bytes, size_t count, size_t most) {
  return count <= most ? 0 : characterFrom(bytes, count, count - most);
}

/** What it printed last, as a block of its own; `*count` says how much. */
static byte *readTail(struct output *output, size_t *count) {
  long size = lseek(output->fd, 0, seekEnd);
  size_t most = output->tailBytes;
  size_t wanted = size < 0 ? 0 : (size_t)size;
  if (wanted > most + CHARACTER_BYTES_MAX - 1) wanted = most + CHARACTER_BYTES_MAX - 1;
  byte *all = take(output->earlierBytes + wanted + 1);
  memcpy(all, output->earlier, output->earlierBytes);
  byte *fresh = all + output->earlierBytes;
  size_t got = 0;
  while (got < wanted) {
    ssize_t part = pread(output->fd, fresh + got, wanted - got, size - (long)wanted + (long)got);
    if (part <= 0) break;
    got += part;
  }
  size_t skip = tailOf(fresh, got, most);
  size_t from = output->earlierBytes + skip;
  size_t kept = got - skip;
  if (output->earlierBytes > 0 && kept + 3 < most) {
    from = tailOf(all, output->earlierBytes + got, most);
    kept = output->earlierBytes + got - from;
  }
  memmove(all, all + from, kept);
  *count = kept;
  return all;
}

/** Remembers how it began, before that is cut away. */
static void keepHead(struct output *output) {
  if (output->head != NULL) return;
  output->head = take(OUTPUT_HEAD_BYTES_MAX);
  while (output->headBytes < OUTPUT_HEAD_BYTES_MAX) {
    ssize_t part = pread(output->fd, output->head + output->headBytes,
                         OUTPUT_HEAD_BYTES_MAX - output->headBytes, (long)output->headBytes);
    if (part <= 0) break;
    output->headBytes += part;
  }
}

/** Called now and then while the chunk runs. */
static void watchOutput(struct output *output) {
  long size = lseek(output->fd, 0, seekEnd);
  if (size <= OUTPUT_FILE_BYTES_MAX) return;
  if (output->cutBytes == 0 && size <= output->wholeBytes) return;
  size_t count;
  byte *tail = readTail(output, &count);
  // What comes between the look and the cut would be missing in the middle.
  for (int tries = 0; tries < CUT_TRIES_MAX; tries++) {
    long now = lseek(output->fd, 0, seekEnd);
    if (now == size) break;
    size = now;
    give(tail);
    tail = readTail(output, &count);
  }
  keepHead(output);
  give(output->earlier);
  output->earlier = tail;
  output->earlierBytes = count;
  output->cutBytes += size;
  ftruncate(output->fd, 0);
}

/** What was printed in all. */
static long totalOf(struct output *output) {
  long size = output->fd < 0 ? 0 : lseek(output->fd, 0, seekEnd);
  return output->cutBytes + (size < 0 ? 0 : size);
}

/** What is told of an output at its end; without a tail nothing of it is kept. */
struct ends { byte *tail; size_t tailBytes, headBytes; long total; };

static struct ends endsOf(struct output *output, int isKept) {
  struct ends ends = {NULL, 0, 0, totalOf(output)};
  if (output->fd < 0 || !isKept) return ends;
  ends.tail = readTail(output, &ends.tailBytes);
  if ((long)ends.tailBytes >= ends.total) return ends;
  // Its beginning, where the tail is not all of it.
  keepHead(output);
  ends.headBytes = output->headBytes;
  return ends;
}

/**
 * A part of what was printed, as a block of its own. `*from` is where it is wanted, below zero
 * counted from the end, and says where it begins: what was cut is not there any more.
 */
static byte *readPart(struct output *output, long *from, size_t *count) {
  long total = totalOf(output), first = output->cutBytes - (long)output->earlierBytes;
  if (*from < 0) *from += total;
  if (*from < first) *from = first;
  if (*from > total) *from = total;
  size_t wanted = (size_t)(total - *from), got = 0;
  if (wanted > LOOK_BYTES_MAX) wanted = LOOK_BYTES_MAX;
  byte *part = take(wanted + 1);
  if (*from < output->cutBytes) {
    got = (size_t)(output->cutBytes - *from);
    if (got > wanted) got = wanted;
    memcpy(part, output->earlier + (*from - first), got);
  }
  while (got < wanted) {
    long at = *from + (long)got - output->cutBytes;
    ssize_t more = pread(output->fd, part + got, wanted - got, at);
    if (more <= 0) break;
    got += more;
  }
  *count = got;
  return part;
}

static void closeOutput(struct output *output) {
  if (output->fd >= 0) close(output->fd);
  output->fd = -1;
  give(output->head);
  output->head = NULL;
  output->headBytes = 0;
  give(output->earlier);
  output->earlier = NULL;
  output->earlierBytes = 0;
}
