// The service worker of the built page: after the first visit everything on it works without a network.
//
// `BUILD` is written by scripts/offline.mjs. Its `files` are the page; they are stored together under their version, so that a
// page never loads a file of another build. A new version waits until the page is closed. `optional` files are large and are
// stored when they are first requested, documents when they are first read.

const { version, files, optional } = BUILD;

const { scope } = self.registration;

// Another copy of the page may be at another path of the same site.
const PREFIX = `turnfold ${scope} `;
const OWN = PREFIX + version;
const MORE = `${PREFIX}more`;

const urlOf = (path) => new URL(path, scope).href;

/** Whether the name of the file contains a hash of its content. */
const isHashed = (path) => path.startsWith("assets/");

self.addEventListener("install", (event) => event.waitUntil(store()));

async function store() {
  const own = await caches.open(OWN);
  const add = async (path) => {
    const url = urlOf(path);
    const known = isHashed(path) ? await caches.match(url) : undefined;
    if (known !== undefined) return own.put(url, known);
    return own.add(new Request(url, { cache: isHashed(path) ? "default" : "no-cache" }));
  };
  await Promise.all(files.map(add));
}

self.addEventListener("activate", (event) => event.waitUntil(tidy()));

async function tidy() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== OWN && name !== MORE);
  await Promise.all(old.map((name) => caches.delete(name)));
  const more = await caches.open(MORE);
  for (const request of await more.keys()) {
    const path = pathOf(request.url);
    if (isHashed(path) && !optional.includes(path)) await more.delete(request);
  }
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const path = pathOf(request.url);
  if (files.includes(path)) event.respondWith(ownFile(path, request));
  else if (isHashed(path)) event.respondWith(hashedFile(event));
  else event.respondWith(document(event));
});

/** The path below the scope, without the query, which does not change the response. */
function pathOf(url) {
  const path = decodeURI(new URL(url).pathname.slice(new URL(scope).pathname.length));
  return path === "index.html" ? "" : path;
}

async function ownFile(path, request) {
  const own = await caches.open(OWN);
  return (await own.match(urlOf(path), { ignoreVary: true })) ?? fetch(request);
}

async function hashedFile(event) {
  return (await stored(event.request)) ?? fetched(event);
}

async function document(event) {
  try {
    return await fetched(event);
  } catch (error) {
    const known = await stored(event.request);
    if (known === undefined) throw error;
    return known;
  }
}

async function stored(request) {
  const more = await caches.open(MORE);
  return more.match(request, { ignoreSearch: true, ignoreVary: true });
}

async function fetched(event) {
  const { request } = event;
  const response = await fetch(request);
  if (response.status === 200 && response.type === "basic" && !response.redirected) {
    event.waitUntil(keep(request, response.clone()));
  }
  return response;
}

/** The page does not wait for it: what has come from the network is shown even when there is no space to store it. */
async function keep(request, response) {
  try {
    const more = await caches.open(MORE);
    await more.put(request, response);
  } catch {
    // It is requested again the next time.
  }
}
