/** MQTT topic filters: `+` is one level, `#` is the rest, and neither meets a leading `$`. */

export function topicMatches(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && (wanted[0] === '+' || wanted[0] === '#')) return false;
  for (let at = 0; at < wanted.length; at++) {
    if (wanted[at] === '#') return true;
    if (at >= levels.length || (wanted[at] !== '+' && wanted[at] !== levels[at])) return false;
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
