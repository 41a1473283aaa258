const LINE_END = /\r\n|\n|\r(?!$)/;

/** The data of each server-sent event of a response, in order. Ending the iteration cancels the response. */
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
      // An incomplete line continues in the next chunk.
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
      if (done) {
        // Some servers omit the empty line after the last event.
        if (data.length > 0) yield data.join("\n");
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
