/** The program of a reply with the text around it blanked, so that offsets and lines are those of the reply. */
interface Program {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const FENCE = /^[ \t]*```[^\n]*\n([\s\S]*?)(?:^[ \t]*```|$(?![\s\S]))/dm;

/** The program of a reply: the first one in a fence, or the whole reply if it is a program; null for prose. */
export function programIn(reply: string): Program | null {
  const [start, end] = FENCE.exec(reply)?.indices?.[1] ?? [0, reply.length];
  if (start === 0 && !/^\s*[([{]/.test(reply)) return null;
  const blank = (text: string): string => text.replace(/[^\n]/g, " ");
  return { text: blank(reply.slice(0, start)) + reply.slice(start, end) + blank(reply.slice(end)), start, end };
}
