// Links to states of the playground.

/** The fragment of a link to this saved state. */
export async function linkTo(state, tab = "turns") {
  const packed = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const text = Buffer.from(await new Response(packed).arrayBuffer()).toString("base64url");
  return `#v1=${text}${tab === "turns" ? "" : `&tab=${tab}`}`;
}

/** The saved state in a fragment, as JSON text. */
export async function stateIn(fragment) {
  const packed = Buffer.from(/^#v1=([\w-]+)/.exec(fragment)[1], "base64url");
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}
