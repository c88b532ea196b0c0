/*
 * One process that the launcher started: running, then terminating (SIGTERM, then SIGKILL to its
 * whole group), then leaving (what is left of the group is killed), then ended, until the agent
 * has acknowledged the end. It leads its own group and session.
 *
 * It has ended when nobody of its group lives; one that was asked to stop, when nobody lives who
 * carries its mark either. So what it used is not given to others while it is still used.
 */
enum state { running, leaving, ended };
enum due { dueNever, dueTimeout, dueKill, dueLook };
enum { bucketsCount = 4096 };

struct house;

struct child {
  /** NULL: whoever asked for it is gone for good. */
  struct house *house;
  char *id;
  char *program;
  struct child *nextById, *nextByPid, *next, *previous, *nextTimed, *previousTimed;
  enum state state;
  enum due due;
  long dueMs, againMs, killAfterMs, startedMicros, mark;
  int pid, isMarked, isStopped, isTimeout, keepsAll, keepsNone, isTimed;
  /** As `waitpid` tells it. */
  int status;
  struct output output;
  /** What it says on standard error, where that is kept by itself. */
  struct output errors;
  int isApart;
  /** What the agent is told of its end, until it has acknowledged it. */
  struct buffer end;
};

static struct child *byId[bucketsCount];
static struct child *byPid[bucketsCount];
static struct child *firstChild, *firstTimed;
static long boot;

static uint bucketOf(const char *id) {
  uint hash = 5381;
  for (; *id; id++) hash = hash * 33 + (byte)*id;
  return hash % bucketsCount;
}

static struct child *findChild(struct house *house, const char *id, int isEnded) {
  struct child *one = byId[bucketOf(id)];
  for (; one != NULL; one = one->nextById) {
    if (one->house != house || (one->state == ended) != isEnded) continue;
    if (strcmp(one->id, id) == 0) return one;
  }
  return NULL;
}

static struct child *makeChild(struct house *house, const char *id, const char *program) {
  struct child *child = take(sizeof *child);
  memset(child, 0, sizeof *child);
  child->house = house;
  child->id = copyText(id);
  child->program = copyText(program);
  child->output.fd = child->errors.fd = -1;
  child->startedMicros = nowMicros();
  struct child **bucket = &byId[bucketOf(id)];
  child->nextById = *bucket;
  *bucket = child;
  child->next = firstChild;
  if (firstChild != NULL) firstChild->previous = child;
  firstChild = child;
  return child;
}

static void setDue(struct child *child, enum due due, long atMs) {
  child->due = due;
  child->dueMs = atMs;
  if ((due != dueNever) == child->isTimed) return;
  child->isTimed = !child->isTimed;
  if (child->isTimed) {
    child->previousTimed = NULL;
    child->nextTimed = firstTimed;
    if (firstTimed != NULL) firstTimed->previousTimed = child;
    firstTimed = child;
    return;
  }
  if (child->nextTimed != NULL) child->nextTimed->previousTimed = child->previousTimed;
  if (child->previousTimed != NULL) child->previousTimed->nextTimed = child->nextTimed;
  else firstTimed = child->nextTimed;
}

static void setPid(struct child *child, int pid) {
  child->pid = pid;
  child->nextByPid = byPid[pid % bucketsCount];
  byPid[pid % bucketsCount] = child;
}

/** By its number it is not found any more: the kernel may give that to another. */
static struct child *takeByPid(int pid) {
  struct child **at = &byPid[pid % bucketsCount];
  while (*at != NULL && (*at)->pid != pid) at = &(*at)->nextByPid;
  struct child *found = *at;
  if (found != NULL) *at = found->nextByPid;
  return found;
}

static void forget(struct child *child) {
  struct child **at = &byId[bucketOf(child->id)];
  while (*at != child) at = &(*at)->nextById;
  *at = child->nextById;
  if (child->next != NULL) child->next->previous = child->previous;
  if (child->previous != NULL) child->previous->next = child->next;
  else firstChild = child->next;
  setDue(child, dueNever, 0);
  closeOutput(&child->output);
  closeOutput(&child->errors);
  clearBuffer(&child->end);
  give(child->id);
  give(child->program);
  give(child);
}

static void signalGroup(struct child *child, int number) {
  if (child->pid > 0) kill(-child->pid, number);
}

static void terminate(struct child *child) {
  signalGroup(child, sigTerm);
  setDue(child, dueKill, nowMs() + child->killAfterMs);
}

static void stopChild(struct child *child) {
  if (child->isStopped || child->state != running) return;
  child->isStopped = 1;
  terminate(child);
}

/** Marks are `<boot>-<number>`: the number, or -1 of another launcher's. */
static long markNumber(const char *mark) {
  char prefix[32];
  int length = snprintf(prefix, sizeof prefix, "%d-%ld-", getpid(), boot);
  return strncmp(mark, prefix, length) == 0 ? strtol(mark + length, NULL, 10) : -1;
}

static int isMarkOf(const char *mark, const void *number) {
  return markNumber(mark) == *(const long *)number;
}

static int isOurMark(const char *mark, const void *ignored) {
  (void)ignored;
  return markNumber(mark) >= 0;
}

/** Of a chunk that has ended, or that nobody waits for. */
static int isStrayMark(const char *mark, const void *ignored) {
  (void)ignored;
  long number = markNumber(mark);
  if (number < 0) return 0;
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->mark == number && one->state != ended && one->house != NULL) return 0;
  }
  return 1;
}

/** Kills who is left, and says whether there was anybody. */
static int isAnybodyLeft(struct child *child) {
  if (child->pid <= 0) return 0;
  signalGroup(child, sigKill);
  if (isGroupAlive(child->pid)) return 1;
  if (!child->isMarked || !(child->isStopped || child->isTimeout)) return 0;
  return killMarked(isMarkOf, &child->mark);
}
