const LINE_END = /\r\n|\n|\r(?!$)/;

/** The data of each server-sent event of a response, in order. Whoever stops asking ends the response. */
export async function* events(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = (done ? `${rest}\n` : rest).split(LINE_END);
      // What may go on with the next piece.
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
      if (done) {
        // A server that forgets the empty line behind the last event.
        if (data.length > 0) yield data.join("\n");
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
