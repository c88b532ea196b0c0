/*
 * Those for whom it starts programs: one for each data directory of the agent's process, each with
 * a socket of its own. A house outlives its agent on purpose. While nobody is connected its
 * processes run on and their ends are kept, so that an agent that was killed finds both when it is
 * back; after a grace without an agent what still runs is killed, and what has ended waits for far
 * longer: it needs no more than its place, and nobody has to run it again.
 */
struct house {
  struct house *next;
  char *socketPath;
  char *directory;
  unsigned long inode;
  int listening, agent, isEnding, isGone;
  /** When what runs is given up, or looked after; 0 while an agent is there. */
  long graceAtMs;
  /** And when what has ended is forgotten. */
  long keptUntilMs;
  struct buffer in, out;
};

static struct house *firstHouse;
static long strayAtMs, strayWaitMs = STRAY_CHECK_MS, launches;

static unsigned long inodeOf(const char *path) {
  unsigned long fields[32];
  memset(fields, 0, sizeof fields);
  return syscall(sysStatx, -100, path, 0x100, 0x100, fields) == 0 ? fields[4] : 0;
}

/** NULL when the place is taken. */
static struct house *openHouse(const char *socketPath, const char *directory) {
  struct socketAddress address = {afUnix};
  if (strlen(socketPath) >= sizeof address.path) return NULL;
  memcpy(address.path, socketPath, strlen(socketPath) + 1);
  int fd = socket(afUnix, sockStream | sockCloexec | sockNonblock, 0);
  if (fd < 0) return NULL;
  if (bind(fd, &address, sizeof address) != 0) {
    close(fd);
    return NULL;
  }
  // For its own user alone.
  chmod(socketPath, 0600);
  if (listen(fd, 8) != 0) {
    close(fd);
    return NULL;
  }
  struct house *house = take(sizeof *house);
  memset(house, 0, sizeof *house);
  house->socketPath = copyText(socketPath);
  house->directory = copyText(directory);
  house->inode = inodeOf(socketPath);
  house->listening = fd;
  house->agent = -1;
  house->graceAtMs = nowMs() + ORPHAN_GRACE_MS;
  house->next = firstHouse;
  firstHouse = house;
  return house;
}

static int holdsNothing(struct house *house, int withEnded) {
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->house == house && (withEnded || one->state != ended)) return 0;
  }
  return 1;
}

static void hangUp(struct house *house) {
  if (house->agent >= 0) close(house->agent);
  house->agent = -1;
  clearBuffer(&house->in);
  clearBuffer(&house->out);
}

/** What it ran is killed; what is left of that is looked for as long as it lives. */
static void disown(struct house *house, int withEnded) {
  for (struct child *one = firstChild, *next; one != NULL; one = next) {
    next = one->next;
    if (one->house != house || (one->state == ended && !withEnded)) continue;
    one->house = NULL;
    if (one->state == ended) forget(one);
    else signalGroup(one, sigKill);
  }
  killMarked(isStrayMark, NULL);
}

static void leave(struct house *house) {
  disown(house, 1);
  // Only its own: another launcher may have taken the place since.
  if (inodeOf(house->socketPath) == house->inode) unlink(house->socketPath);
  close(house->listening);
  hangUp(house);
  house->isGone = 1;
}

/** No agent came back in time. Where its socket is gone, no agent ever will. */
static void outliveGrace(struct house *house) {
  int isOver = nowMs() >= house->keptUntilMs || inodeOf(house->socketPath) != house->inode;
  disown(house, isOver);
  if (holdsNothing(house, 1)) return leave(house);
  house->graceAtMs = nowMs() + ORPHAN_GRACE_MS;
}

/** A frame is its length, four bytes, the lowest first, and fields that end in a zero. */
static size_t beginFrame(struct buffer *buffer) {
  uint length = 0;
  put(buffer, &length, 4);
  return buffer->used;
}

static void endFrame(struct buffer *buffer, size_t begun) {
  uint length = (uint)(buffer->used - begun);
  memcpy(buffer->bytes + begun - 4, &length, 4);
}

static void sendEnd(struct child *child) {
  struct house *house = child->house;
  if (house->agent >= 0) put(&house->out, child->end.bytes, child->end.used);
}

static void lookForStrays(long waitMs) {
  if (strayAtMs == 0) strayAtMs = nowMs() + waitMs;
}

static void putSizes(struct buffer *frame, struct ends *ends) {
  putNumber(frame, ends->total);
  putNumber(frame, (long)ends->headBytes);
  putNumber(frame, (long)ends->tailBytes);
}

static void putEnds(struct buffer *frame, struct output *output, struct ends *ends) {
  put(frame, output->head, ends->headBytes);
  put(frame, ends->tail, ends->tailBytes);
  give(ends->tail);
}

/** `words`: why it could not be started. */
static void tell(struct child *child, const char *words) {
  int code = (child->status >> 8) & 255, number = child->status & 127;
  int isGood = words == NULL && child->status == 0 && !child->isTimeout;
  int isKept = child->keepsAll || (!isGood && !child->keepsNone);
  isKept = isKept && !child->isStopped;
  struct ends output = endsOf(&child->output, isKept), errors = endsOf(&child->errors, isKept);
  long micros = nowMicros() - child->startedMicros;
  char text[40];
  size_t begun = beginFrame(&child->end);
  putText(&child->end, "ended");
  putText(&child->end, child->id);
  snprintf(text, sizeof text, "%d", code);
  putText(&child->end, words == NULL && number == 0 ? text : "");
  snprintf(text, sizeof text, "%d", number);
  putText(&child->end, words == NULL && number != 0 ? text : "");
  putText(&child->end, words == NULL ? "" : words);
  snprintf(text, sizeof text, "%s%s%s%s%s", child->isTimeout ? "t" : "",
           child->isStopped ? "s" : "", output.tail == NULL ? "" : "o",
           errors.tail == NULL ? "" : "e", child->isApart ? "a" : "");
  putText(&child->end, text);
  putNumber(&child->end, micros);
  putSizes(&child->end, &output);
  putSizes(&child->end, &errors);
  putEnds(&child->end, &child->output, &output);
  putEnds(&child->end, &child->errors, &errors);
  endFrame(&child->end, begun);
  closeOutput(&child->output);
  closeOutput(&child->errors);
  child->state = ended;
  setDue(child, dueNever, 0);
  lookForStrays(strayWaitMs);
  if (child->house == NULL) forget(child);
  else sendEnd(child);
}

static void lookIfGone(struct child *child) {
  if (!isAnybodyLeft(child)) return tell(child, NULL);
  // One that the kernel holds may stay for long, and looking costs.
  setDue(child, dueLook, nowMs() + child->againMs);
  child->againMs *= 2;
  if (child->againMs > GONE_CHECK_MS_MAX) child->againMs = GONE_CHECK_MS_MAX;
}

static void exited(int pid, int status) {
  struct child *child = takeByPid(pid);
  if (child == NULL) return;
  child->status = status;
  child->state = leaving;
  child->againMs = GONE_CHECK_MS_MIN;
  lookIfGone(child);
}

static void comeDue(struct child *child) {
  if (child->due == dueLook) return lookIfGone(child);
  if (child->due == dueTimeout) {
    child->isTimeout = 1;
    return terminate(child);
  }
  setDue(child, dueNever, 0);
  signalGroup(child, sigKill);
}
