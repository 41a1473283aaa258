// Puts the functions of a wasm module into an order in which it compresses better: each beside the one that is most like
// it. wasm-opt can sort functions by their names, so this gives them names that say their places.

/** How many bytes in a row count as one feature of a function. */
const featureLength = 4;

/** How many numbers tell how much of their features two functions share, by MinHash. */
const sketchLength = 48;

const codeSection = 10;
const importSection = 2;
const customSection = 0;

/** The module with a name section of places, in the order of likeness, in place of its own. */
export function withPlacesAsNames(module) {
  const sections = sectionsOf(module);
  const imported = importedFunctions(sections.find(({ id }) => id === importSection)?.content);
  const bodies = bodiesOf(sections.find(({ id }) => id === codeSection).content);
  const names = likenessOrder(bodies).map((index, place) => ({ index, name: String(place).padStart(6, "0") }));
  names.sort((left, right) => left.index - right.index);
  const functionNames = vector(names.map(({ index, name }) => Buffer.concat([leb(imported + index), text(name)])));
  const nameSection = Buffer.concat([text("name"), Buffer.from([1]), leb(functionNames.length), functionNames]);
  return Buffer.concat([
    module.subarray(0, 8),
    ...sections.filter(({ isNames }) => !isNames).map(({ whole }) => whole),
    Buffer.concat([Buffer.from([customSection]), leb(nameSection.length), nameSection]),
  ]);
}

/** Goes from each function to the one that is most like it among those that are left. */
function likenessOrder(bodies) {
  const sketches = bodies.map(sketch);
  const left = new Set(bodies.keys());
  const order = [];
  for (let next = 0; next !== undefined; next = mostAlike(sketches, next, left)) {
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** Of functions that are equally like it, the one whose index is nearest: neighbours come from one source file. */
function mostAlike(sketches, index, left) {
  let best;
  let bestScore = -Infinity;
  for (const other of left) {
    let shared = 0;
    for (let place = 0; place < sketchLength; place++) {
      if (sketches[index][place] === sketches[other][place]) shared++;
    }
    const score = shared - Math.abs(other - index) / sketches.length;
    if (score > bestScore) [best, bestScore] = [other, score];
  }
  return best;
}

function sketch(body) {
  const least = new Uint32Array(sketchLength).fill(0xffffffff);
  for (let start = 0; start + featureLength <= body.length; start++) {
    const feature = body.readUInt32LE(start);
    for (let place = 0; place < sketchLength; place++) {
      const hash = mixed(feature, place);
      if (hash < least[place]) least[place] = hash;
    }
  }
  return least;
}

function mixed(feature, seed) {
  let hash = Math.imul(feature ^ Math.imul(seed + 1, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function sectionsOf(module) {
  const sections = [];
  const reader = { bytes: module, at: 8 };
  while (reader.at < module.length) {
    const start = reader.at++;
    const length = number(reader);
    const content = module.subarray(reader.at, reader.at + length);
    reader.at += length;
    const id = module[start];
    const isNames = id === customSection && content.subarray(1, 1 + content[0]).toString() === "name";
    sections.push({ id, content, isNames, whole: module.subarray(start, reader.at) });
  }
  return sections;
}

function bodiesOf(content) {
  const reader = { bytes: content, at: 0 };
  return Array.from({ length: number(reader) }, () => {
    const length = number(reader);
    reader.at += length;
    return content.subarray(reader.at - length, reader.at);
  });
}

/** Functions that are imported are counted before those of the module. */
function importedFunctions(content) {
  if (!content) return 0;
  const reader = { bytes: content, at: 0 };
  let functions = 0;
  for (let left = number(reader); left > 0; left--) {
    for (const _ of ["module", "name"]) {
      const length = number(reader);
      reader.at += length;
    }
    const kind = content[reader.at++];
    if (kind !== 0) throw new Error(`The wasm imports something that is no function, of kind ${kind}.`);
    number(reader);
    functions++;
  }
  return functions;
}

function number(reader) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = reader.bytes[reader.at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

const text = (value) => Buffer.concat([leb(Buffer.byteLength(value)), Buffer.from(value)]);
const vector = (items) => Buffer.concat([leb(items.length), ...items]);
