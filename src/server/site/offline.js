// Keeps the files of the site, so that it works without the network once it was loaded.

const VERSION = 'tavoliere-VERSION';
const FILES = [];

async function keep() {
  const cache = await caches.open(VERSION);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
}

async function forgetOthers() {
  const others = (await caches.keys()).filter((name) => name.startsWith('tavoliere-') && name !== VERSION);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function find(request) {
  const cache = await caches.open(VERSION);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(forgetOthers().then(() => self.clients.claim())));
self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(find(event.request));
});
