// Runs inside a function's Deno process before its main module (--preload). Defines the platform's globals, hides how
// the function is hosted, and records which request printed each log line. This is plain JavaScript because Deno loads
// the file as it is.
import { AsyncLocalStorage } from 'node:async_hooks';
import { inWorkerFolder, redirect, withSync } from './temp-files.js';

const own = new Set([
  'NO_COLOR',
  'PATH',
  'PLINTH_FUNCTION_ENTRYPOINT',
  'PLINTH_FUNCTION_SHOWS_ERRORS',
  'PWD',
  'TMPDIR',
]);
const isHidden = (name) => name.startsWith('DENO_') || own.has(name);
// The variables are hidden instead of deleted because Deno reads some of them when the function starts serving
// requests.
const { get, has, toObject } = Deno.env;
// The process may have started in a different folder because its flags required relative paths.
Deno.chdir(get.call(Deno.env, 'TMPDIR'));
const showsErrors = get.call(Deno.env, 'PLINTH_FUNCTION_SHOWS_ERRORS') === '1';
// Packages find the folder for temporary files through this variable, for example with `os.tmpdir()`.
Deno.env.get = (name) => (isHidden(name) && name !== 'TMPDIR' ? undefined : get.call(Deno.env, name));
Deno.env.has = (name) => !isHidden(name) && has.call(Deno.env, name);
Deno.env.toObject = () =>
  Object.fromEntries(Object.entries(toObject.call(Deno.env)).filter(([name]) => !isHidden(name)));

const exit = Deno.exit.bind(Deno);
// A function must not end its process, because other requests share it.
Deno.exit = () => undefined;

const onePath = withSync([
  ...[
    'chmod',
    'chown',
    'create',
    'lstat',
    'mkdir',
    'open',
    'readDir',
    'readFile',
    'readLink',
    'readTextFile',
  ],
  ...['realPath', 'remove', 'stat', 'truncate', 'utime', 'writeFile', 'writeTextFile'],
]);
redirect(Deno, [...onePath, 'chdir'], 1);
redirect(Deno, withSync(['copyFile', 'link', 'rename', 'symlink']), 2);
for (const name of withSync(['makeTempDir', 'makeTempFile'])) {
  const make = Deno[name];
  Deno[name] = (options) =>
    make(options?.dir === undefined ? options : { ...options, dir: inWorkerFolder(options.dir) });
}
const { watchFs } = Deno;
Deno.watchFs = (paths, options) => watchFs([paths].flat().map(inWorkerFolder), options);

const { Console, core } = Deno[Deno.internal] ?? {};

// Console output includes the level and the request ID. The format, which src/services/functions/core/log-frames.ts
// reads, is: record separator, level, request ID, unit separator, text. The lines of one call, such as a stack trace, are
// joined with group separators so that they become one log entry. If Deno's own console class isn't available, the output
// has no header.
const requestId = new AsyncLocalStorage();
/** A longer entry would be truncated. */
const maxFrameChars = 3500;

/** Joins lines into frames. Only a single line can be longer than the limit. */
function framesOf(text) {
  const frames = [];
  for (const line of text.split('\n')) {
    const last = frames.at(-1);
    if (last === undefined || last.length + line.length >= maxFrameChars) frames.push(line);
    else frames[frames.length - 1] = `${last}\x1d${line}`;
  }
  return frames;
}

if (Console !== undefined && core !== undefined) {
  globalThis.console = new Console((message, level) => {
    const head = `\x1e${level}${requestId.getStore() ?? ''}\x1f`;
    const frames = framesOf(message.replace(/\n$/, '').replaceAll('\x1d', ''));
    core.print(frames.map((frame) => `${head}${frame}\n`).join(''));
  });
}

function failed(error) {
  console.error(error);
  const detail = showsErrors ? `\n\n${Deno.inspect(error)}` : '';
  return new Response(`Internal Server Error${detail}`, { status: 500 });
}

// The platform is at the other end of the Unix socket, so the function receives the client's address from the gateway.
const infoOf = (request, info) => ({
  remoteAddr: {
    transport: 'tcp',
    hostname: (request.headers.get('x-forwarded-for') ?? '').split(',', 1)[0],
    port: 0,
  },
  get completed() {
    return info.completed;
  },
});

// Deno discards the rest of a request's body when the response ends. If a function reads the body in a background task,
// the response therefore waits until the body has arrived. Reads are tracked only for requests of clients and their
// clones.
const pendingReads = new WeakMap();
const { prototype } = Request;
for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']) {
  const read = prototype[name];
  prototype[name] = function () {
    const result = read.call(this);
    const reads = pendingReads.get(this);
    if (reads !== undefined) {
      const done = () => reads.delete(result);
      reads.add(result);
      result.then(done, done);
    }
    return result;
  };
}
const { clone } = prototype;
prototype.clone = function () {
  const copy = clone.call(this);
  const reads = pendingReads.get(this);
  if (reads !== undefined) pendingReads.set(copy, reads);
  return copy;
};

async function afterReads(reads, response) {
  while (reads.size > 0) await Promise.allSettled(reads);
  return response;
}

const withRequest =
  (handle, onError = failed) =>
  (request, info) =>
    requestId.run(request.headers.get('x-request-id') ?? '', () => {
      const reads = new Set();
      pendingReads.set(request, reads);
      const respond = (response) => (reads.size > 0 ? afterReads(reads, response) : response);
      try {
        const answer = handle(request, infoOf(request, info));
        return typeof answer?.then === 'function'
          ? answer.then(respond).then(undefined, onError)
          : respond(answer);
      } catch (error) {
        return onError(error);
      }
    });

const serve = Deno.serve.bind(Deno);
Deno.serve = (first, second) => {
  if (typeof first === 'function') return serve(second ?? {}, withRequest(first));
  if (typeof second === 'function') return serve(first, withRequest(second, first?.onError));
  if (typeof first?.handler !== 'function') return serve(first, second);
  return serve({ ...first, handler: withRequest(first.handler.bind(first), first.onError) });
};

// `serve` of deno.land/std calls `Deno.listen` and `Deno.serveHttp`, which Deno 2 removed. Many older functions use it,
// and upstream's runtime still provides both. No port is opened on the machine. A listener has one connection, which
// returns the requests of `Deno.serve`.
const { listen } = Deno;
Deno.listen = (options = {}) => {
  const { transport = 'tcp', hostname = '0.0.0.0', port = 0 } = options;
  if (transport !== 'tcp') return listen(options);
  const addr = { transport, hostname, port };
  const closed = Promise.withResolvers();
  // If no accept() call is waiting, the rejection would otherwise be unhandled.
  closed.promise.catch(() => undefined);
  const connections = [{ localAddr: addr, remoteAddr: addr, close: () => undefined }];
  const accept = async () => connections.pop() ?? closed.promise;
  return {
    addr,
    accept,
    close: () => closed.reject(new Deno.errors.BadResource('The listener is closed')),
    async *[Symbol.asyncIterator]() {
      for (;;) yield await accept();
    },
  };
};
Deno.serveHttp = () => {
  const events = new ReadableStream({
    start(queue) {
      Deno.serve(
        (request) =>
          new Promise((resolve) => {
            const respondWith = async (response) => resolve(await response);
            queue.enqueue({ request, respondWith });
          }),
      );
    },
  }).getReader();
  const nextRequest = async () => (await events.read()).value ?? null;
  return {
    nextRequest,
    close: () => undefined,
    async *[Symbol.asyncIterator]() {
      for (;;) yield await nextRequest();
    },
  };
};

let pending = 0;
let idle = () => undefined;
globalThis.EdgeRuntime = {
  waitUntil(promise) {
    pending += 1;
    const done = () => {
      pending -= 1;
      if (pending === 0) idle();
    };
    Promise.resolve(promise).then(done, (error) => {
      console.error(error);
      done();
    });
    return promise;
  },
};

// The request arrived through a Unix socket (http+unix://HOST/…), but the function must receive the URL that its caller
// used. The getter is defined on the prototype because a new Request object couldn't be upgraded to a WebSocket.
const scheme = get.call(Deno.env, 'SUPABASE_URL')?.startsWith('https:') ? 'https' : 'http';
const inner = Object.getOwnPropertyDescriptor(prototype, 'url');
Object.defineProperty(prototype, 'url', {
  ...inner,
  get() {
    const url = inner.get.call(this);
    return url.startsWith('http+unix:') ? scheme + url.slice('http+unix'.length) : url;
  },
});

const tell = (reason) => globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason } }));

// Exits once all promises passed to `waitUntil` have settled. If that takes too long, the platform kills the process.
function leave(reason) {
  tell(reason);
  const end = () => {
    globalThis.dispatchEvent(new Event('unload'));
    exit(0);
  };
  if (pending === 0) end();
  else idle = end;
}

const orders = {
  c: () => tell('cpu'),
  m: () => tell('memory'),
  w: () => tell('wall_clock'),
  e: () => leave('early_drop'),
};

// The platform holds the other end of standard input and writes one letter per command. The input ends when the
// platform exits for any reason. If possible, this read doesn't keep the process alive, because a function that doesn't
// serve requests must exit.
function readOrder(into) {
  if (core === undefined) return Deno.stdin.read(into);
  const read = core.read(0, into);
  core.unrefOpPromise(read);
  return read;
}
async function obey() {
  const one = new Uint8Array(1);
  while (await readOrder(one)) orders[String.fromCharCode(one[0])]?.();
  exit(0);
}
// Without unrefOpPromise, reading starts later, because the read keeps the process alive and Deno loads the function's
// module only when nothing is pending.
if (core === undefined) Deno.unrefTimer(setTimeout(obey, 20));
else obey();
