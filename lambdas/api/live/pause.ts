/** For whoever waits inside a request: there is nothing that would wake it. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
