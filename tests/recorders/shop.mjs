// The project that recorded sessions work on.

export const files = {
  "prices.json": '{ "tea": 4, "coffee": 5 }\n',
  "src/shop.js": `${Array.from({ length: 120 }, (_, line) => `export const row${line} = ${line};`).join("\n")}\n`,
};

/** A picture of one black dot. */
export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);
