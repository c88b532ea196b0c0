/*
 * The resident process that starts chunks: reads orders, starts what they ask for, and tells how
 * it ended. One loop over its sockets, its clock and its children.
 */
struct fields { char *at; char *end; };

/** The next field, or an empty one behind the last. */
static char *nextField(struct fields *fields) {
  char *field = fields->at;
  if (field >= fields->end) return "";
  fields->at += strlen(field) + 1;
  return field;
}

static long nextNumber(struct fields *fields) {
  char *field = nextField(fields);
  return *field == 0 ? -1 : strtol(field, NULL, 10);
}

/** So many words as the frame says, and never more than it can hold. */
static int nextWords(struct fields *fields, char **words) {
  int count = 0;
  for (long left = nextNumber(fields); left > 0 && fields->at < fields->end; left--) {
    words[count++] = nextField(fields);
  }
  return count;
}

static void startOrder(struct house *house, struct fields fields, size_t bytes) {
  char *id = nextField(&fields), *flags = nextField(&fields);
  struct order order = {nextField(&fields)};
  long timeoutMs = nextNumber(&fields), killAfterMs = nextNumber(&fields);
  long tailBytes = nextNumber(&fields);
  char *keep = nextField(&fields);
  long uid = nextNumber(&fields), gid = nextNumber(&fields);
  char *whole = nextField(&fields), other[pathBytesMax] = "";
  long wholeBytes = nextNumber(&fields);
  if (*whole) snprintf(other, sizeof other, "%s%s", whole, WHOLE_ERRORS);
  if (house->isEnding || findChild(house, id, 0) != NULL) return;
  // Every word has at least its zero, so there are never more of them than bytes.
  char **room = take((bytes + 8) * sizeof(char *));
  order.words = room;
  order.wrapperCount = nextWords(&fields, room + 1);
  int count = 1 + order.wrapperCount;
  char *program = "";
  count += nextWords(&fields, room + count);
  if (count > 1 + order.wrapperCount) program = room[1 + order.wrapperCount];
  else room[count++] = program;
  room[count++] = NULL;
  order.environment = room + count;
  char mark[64];
  snprintf(mark, sizeof mark, "%s%d-%ld-%ld", markName, getpid(), boot, ++launches);
  int isMarked = 0, isApart = 0;
  for (; *flags; flags++) {
    if (*flags == 'm') isMarked = 1;
    else if (*flags == 'e') isApart = 1;
  }
  if (isMarked) room[count++] = mark;
  count += nextWords(&fields, room + count);
  room[count] = NULL;

  struct child *child = makeChild(house, id, program);
  child->mark = launches;
  child->isMarked = isMarked;
  child->killAfterMs = killAfterMs;
  child->keepsAll = *keep == 'a';
  child->keepsNone = *keep == 'n';
  child->isApart = isApart;
  child->output.tailBytes = child->errors.tailBytes = tailBytes;
  // Also where nothing is kept: somebody may look.
  child->output.wholeBytes = child->errors.wholeBytes = wholeBytes;
  if (tailBytes > 0) child->output.fd = openOutput(house->directory, whole, uid, gid);
  if (tailBytes > 0 && isApart) child->errors.fd = openOutput(house->directory, other, uid, gid);
  int failure;
  int error = isApart ? child->errors.fd : child->output.fd;
  int sinks[2] = {child->output.fd >= 0 ? child->output.fd : nowhere, error >= 0 ? error : nowhere};
  int pid = spawnProgram(&order, sinks, &failure);
  if (pid > 0) {
    setPid(child, pid);
    if (timeoutMs >= 0) setDue(child, dueTimeout, nowMs() + timeoutMs);
  } else {
    char words[FAILURE_BYTES_MAX];
    sayFailure(&order, program, failure, words, sizeof words);
    tell(child, words);
  }
  give(room);
}

/** A part of what a chunk has printed so far; without one when there is none to be shown. */
static void showOutput(struct house *house, char *id, long from) {
  struct child *child = findChild(house, id, 0);
  size_t begun = beginFrame(&house->out);
  putText(&house->out, "seen");
  putText(&house->out, id);
  if (child != NULL && child->output.fd >= 0) {
    // Whoever follows it wants its end, too: as much as may not have been looked at.
    child->keepsAll = 1;
    child->output.tailBytes = FOLLOWED_BYTES_MAX;
    size_t count;
    byte *part = readPart(&child->output, &from, &count);
    putNumber(&house->out, from);
    putNumber(&house->out, totalOf(&child->output));
    put(&house->out, part, count);
    give(part);
  }
  endFrame(&house->out, begun);
}

static void stopHouse(struct house *house) {
  house->isEnding = 1;
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->house == house) stopChild(one);
  }
}

static void receive(struct house *house, char *bytes, size_t count) {
  struct fields fields = {bytes, bytes + count};
  char *kind = nextField(&fields);
  struct child *child;
  if (strcmp(kind, "start") == 0) return startOrder(house, fields, count);
  if (strcmp(kind, "shutdown") == 0) return stopHouse(house);
  char *name = nextField(&fields);
  if (strcmp(kind, "serve") == 0) {
    openHouse(name, nextField(&fields));
  } else if (strcmp(kind, "stop") == 0) {
    if ((child = findChild(house, name, 0)) != NULL) stopChild(child);
  } else if (strcmp(kind, "look") == 0) {
    showOutput(house, name, nextNumber(&fields));
  } else if (strcmp(kind, "ack") == 0) {
    if ((child = findChild(house, name, 1)) != NULL) forget(child);
  }
}

/** Says what is held: running, or ended and not acknowledged; the ends follow. */
static void welcome(struct house *house, int fd) {
  // The newest agent is the one that lives.
  hangUp(house);
  house->agent = fd;
  house->graceAtMs = 0;
  size_t begun = beginFrame(&house->out);
  putText(&house->out, "hello");
  putNumber(&house->out, LAUNCHER_PROTOCOL);
  putNumber(&house->out, getpid());
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->house == house) putText(&house->out, one->id);
  }
  endFrame(&house->out, begun);
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->house == house && one->state == ended) sendEnd(one);
  }
}

static void lostAgent(struct house *house) {
  hangUp(house);
  if (holdsNothing(house, 1)) return leave(house);
  house->graceAtMs = nowMs() + ORPHAN_GRACE_MS;
  house->keptUntilMs = nowMs() + UNCLAIMED_ENDS_KEPT_MS;
}

static void readOrders(struct house *house) {
  reserve(&house->in, 65536);
  ssize_t got = read(house->agent, house->in.bytes + house->in.used, 65536);
  if (got < 0 && (errno == eAgain || errno == eIntr)) return;
  if (got <= 0) return lostAgent(house);
  house->in.used += got;
  size_t at = 0;
  while (house->in.used - at >= 4) {
    uint length;
    memcpy(&length, house->in.bytes + at, 4);
    // A longer one is not ours.
    if (length > FRAME_BYTES_MAX) return lostAgent(house);
    if (house->in.used - at - 4 < length) break;
    char *body = (char *)house->in.bytes + at + 4;
    if (length > 0 && body[length - 1] == 0) receive(house, body, length);
    at += 4 + length;
  }
  dropFront(&house->in, at);
}

static void writeEnds(struct house *house) {
  if (house->agent < 0 || house->out.used == 0) return;
  ssize_t sent = send(house->agent, house->out.bytes, house->out.used, msgNosignal);
  if (sent > 0) dropFront(&house->out, sent);
  else if (errno != eAgain && errno != eIntr) lostAgent(house);
}

static int alarmPipe[2];
static int isTerminated;

static void onSignal(int number) {
  int before = errno;
  // A terminal's Ctrl-C and a session's end are the agent's business.
  if (number == sigTerm) isTerminated = 1;
  ssize_t ignored = write(alarmPipe[1], "", 1);
  (void)ignored;
  errno = before;
}

static void reap(void) {
  char bytes[512];
  while (read(alarmPipe[0], bytes, sizeof bytes) == sizeof bytes) continue;
  int status, pid;
  while ((pid = waitpid(-1, &status, wNohang)) > 0) exited(pid, status);
}

/** What is due, and how long nothing is. */
static int keepTime(void) {
  static long watchAtMs;
  long now = nowMs(), next = now + 60000;
  for (struct child *one = firstTimed, *after; one != NULL; one = after) {
    after = one->nextTimed;
    if (one->dueMs <= now) comeDue(one);
  }
  for (struct child *one = firstTimed; one != NULL; one = one->nextTimed) {
    if (one->dueMs < next) next = one->dueMs;
  }
  for (struct house *house = firstHouse; house != NULL; house = house->next) {
    if (house->isGone || house->graceAtMs == 0) continue;
    if (house->graceAtMs <= now) outliveGrace(house);
    if (house->graceAtMs < next) next = house->graceAtMs;
  }
  if (strayAtMs != 0 && strayAtMs <= now) {
    strayAtMs = 0;
    killMarked(isStrayMark, NULL);
    // A host with very many processes is looked through less often: it costs at most a fiftieth.
    strayWaitMs = (nowMs() - now) * 50;
    if (strayWaitMs < STRAY_CHECK_MS) strayWaitMs = STRAY_CHECK_MS;
  }
  if (strayAtMs != 0 && strayAtMs < next) next = strayAtMs;
  int isWatching = watchAtMs <= now, isTalking = 0;
  for (struct child *one = firstChild; one != NULL; one = one->next) {
    if (one->output.fd < 0 && one->errors.fd < 0) continue;
    isTalking = 1;
    if (isWatching && one->output.fd >= 0) watchOutput(&one->output);
    if (isWatching && one->errors.fd >= 0) watchOutput(&one->errors);
  }
  if (isWatching) watchAtMs = now + OUTPUT_WATCH_MS;
  if (isTalking && watchAtMs < next) next = watchAtMs;
  return next > now ? (int)(next - now) : 0;
}

/** Houses that are over, and with the last of them the launcher. */
static void tidyHouses(void) {
  for (struct house **at = &firstHouse; *at != NULL;) {
    struct house *house = *at;
    if (isTerminated && !house->isEnding) stopHouse(house);
    if (!house->isGone && house->isEnding && holdsNothing(house, 0)) {
      writeEnds(house);
      leave(house);
    }
    if (!house->isGone) {
      at = &house->next;
      continue;
    }
    *at = house->next;
    give(house->socketPath);
    give(house->directory);
    give(house);
  }
  if (firstHouse != NULL) return;
  killMarked(isOurMark, NULL);
  _exit(0);
}

static void watchSockets(int waitMs) {
  struct pollEntry entries[1 + 2 * HOUSES_MAX];
  struct house *of[1 + 2 * HOUSES_MAX];
  int count = 1;
  entries[0].fd = alarmPipe[0];
  entries[0].events = pollIn;
  for (struct house *one = firstHouse; one != NULL && count < 2 * HOUSES_MAX; one = one->next) {
    of[count] = of[count + 1] = one;
    entries[count].fd = one->listening;
    entries[count++].events = pollIn;
    entries[count].fd = one->agent;
    entries[count++].events = pollIn | (one->out.used > 0 ? pollOut : 0);
  }
  for (int at = 0; at < count; at++) entries[at].revents = 0;
  poll(entries, count, waitMs);
  for (int at = 1; at < count; at += 2) {
    struct house *house = of[at];
    if (entries[at + 1].revents != 0 && house->agent == entries[at + 1].fd) readOrders(house);
    if (house->isGone || entries[at].revents == 0) continue;
    int fd = accept4(house->listening, NULL, NULL, sockCloexec | sockNonblock);
    if (fd >= 0) welcome(house, fd);
  }
}

static void live(void) {
  for (;;) {
    tidyHouses();
    int waitMs = keepTime();
    for (struct house *one = firstHouse; one != NULL; one = one->next) writeEnds(one);
    watchSockets(waitMs);
    reap();
  }
}

/**
 * Begins in the process that compiled it, and goes on as its fork, which has nothing of it but
 * this: -1 when it cannot.
 */
int begin(const char *socketPath, const char *directory) {
  if (openHouse(socketPath, directory) == NULL) return -1;
  int pid = fork();
  if (pid != 0) return pid;
  struct signalSet none;
  memset(&none, 0, sizeof none);
  for (int number = 1; number <= signalsMax; number++) signal(number, NULL);
  int listening = dup2(firstHouse->listening, 3);
  syscall(sysCloseRange, 4, -1, 0);
  fcntl(listening, setDescriptorFlags, 1);
  firstHouse->listening = listening;
  nowhere = open("/dev/null", oRdwr | oCloexec);
  if (nowhere < 0 || pipe2(alarmPipe, oCloexec | oNonblock) != 0) _exit(1);
  struct timeSpec now;
  clock_gettime(clockRealtime, &now);
  boot = now.seconds;
  preferAsVictim();
  static const int heard[] = {sigChld, sigHup, sigInt, sigPipe, sigTerm};
  for (int at = 0; at < 5; at++) signal(heard[at], onSignal);
  sigprocmask(sigSetmask, &none, NULL);
  live();
  return 0;
}
