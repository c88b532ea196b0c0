/*
 * Memory of its own: the launcher is the fork of a larger program, whose allocator may be in any
 * state. Blocks are powers of two, cut from the kernel's pages and kept in a list of their size
 * when they are given back; a large one goes back to the kernel.
 */
enum { smallestShift = 5, largestShift = 16, slabBytes = 256 * 1024 };

struct block { size_t size; struct block *next; };

static struct block *freeBlocks[largestShift + 1];
static byte *slab;
static size_t slabLeft;

static void *pages(size_t bytes) {
  void *at = mmap(NULL, bytes, 3, 0x22, -1, 0);
  // Without memory nothing can be promised: the agent finds the launcher gone, and says so.
  if (at == (void *)-1) _exit(1);
  return at;
}

/** The head of a block is its size; what is used begins behind it. */
static void *take(size_t bytes) {
  size_t need = bytes + sizeof(struct block);
  int shift = smallestShift;
  while (shift <= largestShift && ((size_t)1 << shift) < need) shift++;
  struct block *found;
  if (shift > largestShift) {
    found = pages(need);
    found->size = need;
    return found + 1;
  }
  size_t size = (size_t)1 << shift;
  found = freeBlocks[shift];
  if (found != NULL) {
    freeBlocks[shift] = found->next;
    return found + 1;
  }
  if (slabLeft < size) {
    slab = pages(slabBytes);
    slabLeft = slabBytes;
  }
  found = (struct block *)slab;
  slab += size;
  slabLeft -= size;
  found->size = size;
  return found + 1;
}

static void give(void *used) {
  if (used == NULL) return;
  struct block *block = (struct block *)used - 1;
  if (block->size > ((size_t)1 << largestShift)) {
    munmap(block, block->size);
    return;
  }
  int shift = smallestShift;
  while (((size_t)1 << shift) < block->size) shift++;
  block->next = freeBlocks[shift];
  freeBlocks[shift] = block;
}

static char *copyText(const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(take(bytes), text, bytes);
}

/** Bytes that grow. */
struct buffer { byte *bytes; size_t used; size_t room; };

static void reserve(struct buffer *buffer, size_t more) {
  if (buffer->used + more <= buffer->room) return;
  size_t room = buffer->room == 0 ? 4096 : buffer->room;
  while (room < buffer->used + more) room *= 2;
  byte *bytes = take(room);
  memcpy(bytes, buffer->bytes, buffer->used);
  give(buffer->bytes);
  buffer->bytes = bytes;
  buffer->room = room;
}

static void put(struct buffer *buffer, const void *bytes, size_t count) {
  reserve(buffer, count);
  memcpy(buffer->bytes + buffer->used, bytes, count);
  buffer->used += count;
}

/** With its closing zero: how fields of a frame are written. */
static void putText(struct buffer *buffer, const char *text) {
  put(buffer, text, strlen(text) + 1);
}

static void putNumber(struct buffer *buffer, long number) {
  char text[24];
  snprintf(text, sizeof text, "%ld", number);
  putText(buffer, text);
}

static void dropFront(struct buffer *buffer, size_t count) {
  memmove(buffer->bytes, buffer->bytes + count, buffer->used - count);
  buffer->used -= count;
}

static void clearBuffer(struct buffer *buffer) {
  give(buffer->bytes);
  memset(buffer, 0, sizeof *buffer);
}
