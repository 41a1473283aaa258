/** A model that gives these replies one after the other. */
export function scripted(...replies) {
  let next = 0;
  return () => replies[next++] ?? "(fail :script-is-over)";
}
