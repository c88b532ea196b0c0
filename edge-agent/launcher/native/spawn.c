/*
 * Starts a program as the leader of a session and group of its own. The launcher lends it its
 * memory until it runs (`vfork`), so a start copies nothing.
 */
struct order {
  const char *cwd;
  /** One word of room before the first, for a script without an interpreter's line. */
  char **words;
  char **environment;
  int wrapperCount;
};

static int nowhere;

static const char *pathOf(char **environment) {
  for (; *environment != NULL; environment++) {
    if (strncmp(*environment, "PATH=", 5) == 0) return *environment + 5;
  }
  return "/bin:/usr/bin";
}

/** Calls `try` with each place where a program of this name may be, until it answers 1. */
static int eachPlace(const char *program, const char *path, int (*try)(const char *, void *),
                     void *with) {
  char place[pathBytesMax];
  size_t length = strlen(program);
  for (size_t at = 0; at < length; at++) if (program[at] == '/') return try(program, with);
  while (length > 0) {
    size_t part = 0;
    while (path[part] != 0 && path[part] != ':') part++;
    if (part + length + 2 < sizeof place) {
      memcpy(place, path, part);
      if (part > 0) place[part] = '/';
      memcpy(place + part + (part > 0), program, length + 1);
      if (try(place, with)) return 1;
    }
    if (path[part] == 0) return 0;
    path += part + 1;
  }
  return 0;
}

/** Comes back only when it could not be run. */
static int runThere(const char *place, void *with) {
  struct order *order = ((void **)with)[0];
  int *failure = ((void **)with)[1];
  execve(place, order->words + 1, order->environment);
  if (errno == eNoexec) {
    order->words[0] = "/bin/sh";
    order->words[1] = (char *)place;
    execve("/bin/sh", order->words, order->environment);
  }
  if (errno == eNoent || errno == eNotdir) return 0;
  *failure = errno;
  return errno != eAcces;
}

static int isThere(const char *place, void *mode) { return access(place, *(int *)mode) == 0; }

static int isDirectory(const char *path) {
  int fd = open(path, oDirectory | oCloexec);
  if (fd >= 0) close(fd);
  return fd >= 0 || errno == eAcces;
}

/** A wrapper would say in words of its own that there is no such program. */
static int isProgramThere(struct order *order) {
  const char *program = order->words[1 + order->wrapperCount];
  int exists = 0, runs = 1;
  char place[pathBytesMax];
  for (size_t at = 0; program[at] != 0; at++) {
    if (program[at] != '/') continue;
    if (program[0] == '/' || order->cwd[0] == 0) return isThere(program, &exists);
    snprintf(place, sizeof place, "%s/%s", order->cwd, program);
    return isThere(place, &exists);
  }
  return eachPlace(program, pathOf(order->environment), isThere, &runs);
}

/** The number of the process, or 0: then `*failure` says why. */
static int spawnProgram(struct order *order, const int *sinks, int *failure) {
  struct signalSet all, none;
  memset(&all, 255, sizeof all);
  memset(&none, 0, sizeof none);
  if (order->wrapperCount > 0 && !isProgramThere(order)) {
    *failure = eNoent;
    return 0;
  }
  *failure = 0;
  sigprocmask(sigSetmask, &all, NULL);
  int pid = vfork();
  if (pid == 0) {
    // What the launcher does on a signal is not for its child to do.
    signal(sigTerm, NULL);
    signal(sigInt, NULL);
    signal(sigHup, NULL);
    signal(sigChld, NULL);
    signal(sigPipe, NULL);
    setsid();
    dup2(nowhere, 0);
    dup2(sinks[0], 1);
    dup2(sinks[1], 2);
    if (order->cwd[0] != 0 && chdir(order->cwd) != 0) {
      *failure = errno;
      _exit(127);
    }
    sigprocmask(sigSetmask, &none, NULL);
    void *with[2] = {order, failure};
    eachPlace(order->words[1], pathOf(order->environment), runThere, with);
    if (*failure == 0) *failure = eNoent;
    _exit(127);
  }
  if (pid < 0) *failure = errno;
  sigprocmask(sigSetmask, &none, NULL);
  if (*failure == 0) return pid;
  int status;
  if (pid > 0) waitpid(pid, &status, 0);
  return 0;
}

/** In the words that a user reads. */
static void sayFailure(struct order *order, const char *program, int failure, char *words,
                       size_t room) {
  static const struct { int number; const char *name; } names[] = {
      {e2big, "E2BIG"}, {eAgain, "EAGAIN"}, {eNomem, "ENOMEM"}, {eMfile, "EMFILE"},
      {eTxtbsy, "ETXTBSY"}, {eLoop, "ELOOP"}, {eNoexec, "ENOEXEC"}};
  // Both a missing program and a missing directory are ENOENT; which one is what the user needs to
  // know.
  if (order->cwd[0] != 0 && !isDirectory(order->cwd)) {
    snprintf(words, room, "no directory %s", order->cwd);
  } else if (failure == eNoent || failure == eNotdir) {
    snprintf(words, room, "no program %s", program);
  } else if (failure == eAcces) {
    snprintf(words, room, "not allowed to run %s", program);
  } else {
    const char *name = "error";
    for (size_t at = 0; at < sizeof names / sizeof names[0]; at++) {
      if (names[at].number == failure) name = names[at].name;
    }
    snprintf(words, room, "%s %s", name, program);
  }
}
