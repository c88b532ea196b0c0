/*
 * What `/proc` tells: who is left of a group, and who carries a mark in the environment.
 */
static const char markName[] = "EDGEWISE_LAUNCH=";

enum { environmentBytesMax = 1024 * 1024 };

static byte *environment;

static size_t readFile(const char *path, byte *bytes, size_t most) {
  int fd = open(path, oCloexec);
  if (fd < 0) return 0;
  size_t got = 0;
  while (got < most) {
    ssize_t part = read(fd, bytes + got, most - got);
    if (part <= 0) break;
    got += part;
  }
  close(fd);
  return got;
}

/** Calls `look` with each process but init and the launcher itself, until it answers 1. */
static int eachProcess(int (*look)(int pid, void *with), void *with) {
  int fd = open("/proc", oDirectory | oCloexec);
  if (fd < 0) return 0;
  byte entries[16384];
  int self = getpid();
  int answer = 0;
  long count;
  while (!answer && (count = syscall(sysGetdents64, fd, entries, sizeof entries)) > 0) {
    for (long at = 0; at < count && !answer; at += *(unsigned short *)(entries + at + 16)) {
      const char *name = (const char *)entries + at + 19;
      if (name[0] < '1' || name[0] > '9') continue;
      int pid = (int)strtol(name, NULL, 10);
      if (pid > 1 && pid != self) answer = look(pid, with);
    }
  }
  close(fd);
  return answer;
}

/** Zombies count for the kernel, and for ever where nobody reaps them. */
static int isInGroup(int pid, void *with) {
  char path[40];
  byte text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  size_t count = readFile(path, text, sizeof text - 1);
  text[count] = 0;
  // Behind the command name, which may itself hold spaces and brackets: state, parent, group.
  while (count > 0 && text[count] != ')') count--;
  if (count == 0) return 0;
  const char *fields = (const char *)text + count + 2;
  char *end;
  strtol(fields + 2, &end, 10);
  return fields[0] != 'Z' && strtol(end, NULL, 10) == *(int *)with;
}

static int isGroupAlive(int group) {
  if (kill(-group, 0) != 0 && errno == eSrch) return 0;
  return eachProcess(isInGroup, &group);
}

struct markSearch { int (*isMeant)(const char *mark, const void *with); const void *with; int found; };

/** Kills a process that carries such a mark. */
static int killIfMarked(int pid, void *with) {
  struct markSearch *search = with;
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  size_t count = readFile(path, environment, environmentBytesMax - 1);
  environment[count] = 0;
  size_t length = sizeof markName - 1;
  for (size_t at = 0; at + length < count; at += strlen((char *)environment + at) + 1) {
    if (memcmp(environment + at, markName, length) != 0) continue;
    if (search->isMeant((char *)environment + at + length, search->with)) {
      kill(pid, sigKill);
      search->found++;
    }
    return 0;
  }
  return 0;
}

/** Whether anybody carried such a mark; whoever did is killed. */
static int killMarked(int (*isMeant)(const char *, const void *), const void *with) {
  struct markSearch search = {isMeant, with, 0};
  if (environment == NULL) environment = pages(environmentBytesMax);
  eachProcess(killIfMarked, &search);
  return search.found > 0;
}

/** When memory runs out, the kernel shall take chunks before it takes the agent. */
static void preferAsVictim(void) {
  int fd = open("/proc/self/oom_score_adj", oWronly | oCloexec);
  if (fd < 0) return;
  ssize_t ignored = write(fd, "500", 3);
  (void)ignored;
  close(fd);
}
