/**
 * Topic filters as AWS IoT reads them: `+` is one level, neither wildcard meets a leading `$`, and
 * `#` is all that is below: "a subscription to sensor/# receives messages published to sensor/ …
 * but not messages published to sensor", where MQTT itself includes the parent.
 */

export function topicMatches(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && (wanted[0] === '+' || wanted[0] === '#')) return false;
  for (let at = 0; at < wanted.length; at++) {
    if (at >= levels.length) return false;
    if (wanted[at] === '#') return true;
    if (wanted[at] !== '+' && wanted[at] !== levels[at]) return false;
  }
  return wanted.length === levels.length;
}

/** `#` stands last and alone in its level, `+` alone in its level. */
export function isTopicFilter(filter: string): boolean {
  const levels = filter.split('/');
  return (
    filter !== '' &&
    levels.every((level, at) =>
      level.includes('#')
        ? level === '#' && at === levels.length - 1
        : !level.includes('+') || level === '+',
    )
  );
}

/** The same filter for a matcher to which `#` includes the parent: at least one level below. */
export const withoutParent = (filter: string): string =>
  filter.endsWith('/#') ? `${filter.slice(0, -1)}+/#` : filter;
