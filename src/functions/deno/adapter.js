// Runs inside a function's Deno process before its main module (--preload): gives it the platform's globals, hides how it
// is hosted, and says of each line which request printed it. Plain JavaScript, since it is loaded from beside the source as it is.
import { AsyncLocalStorage } from 'node:async_hooks';

const own = new Set(['NO_COLOR', 'TMPDIR', 'PWD', 'PATH', 'PLINTH_FUNCTION_SHOWS_ERRORS']);
const isHidden = (name) => name.startsWith('DENO_') || own.has(name);
// Hidden, not deleted: Deno itself reads its names when the function begins to serve.
const { get, has, toObject } = Deno.env;
// It may have started elsewhere, for the sake of its flags.
Deno.chdir(get.call(Deno.env, 'TMPDIR'));
const showsErrors = get.call(Deno.env, 'PLINTH_FUNCTION_SHOWS_ERRORS') === '1';
Deno.env.get = (name) => (isHidden(name) ? undefined : get.call(Deno.env, name));
Deno.env.has = (name) => !isHidden(name) && has.call(Deno.env, name);
Deno.env.toObject = () =>
  Object.fromEntries(Object.entries(toObject.call(Deno.env)).filter(([name]) => !isHidden(name)));

const exit = Deno.exit.bind(Deno);
// A function does not end its process: other requests share it.
Deno.exit = () => undefined;

const { Console, core } = Deno[Deno.internal] ?? {};

// Lines of the console carry level and request (src/functions/core/log-frames.ts reads them): record separator, level,
// request id, unit separator, text. Without Deno's own console class they go out as they are.
const requestId = new AsyncLocalStorage();
if (Console !== undefined && core !== undefined) {
  globalThis.console = new Console((message, level) => {
    const head = `\x1e${level}${requestId.getStore() ?? ''}\x1f`;
    core.print(`${head}${message.replace(/\n$/, '').replaceAll('\n', `\n${head}`)}\n`);
  });
}

function failed(error) {
  console.error(error);
  const detail = showsErrors ? `\n\n${Deno.inspect(error)}` : '';
  return new Response(`Internal Server Error${detail}`, { status: 500 });
}

// The other end of the unix socket is the platform; a function asks for its caller's address, as the gateway judged it.
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

const withRequest =
  (handle, onError = failed) =>
  (request, info) =>
    requestId.run(request.headers.get('x-request-id') ?? '', () => {
      try {
        const answer = handle(request, infoOf(request, info));
        return typeof answer?.then === 'function' ? answer.then(undefined, onError) : answer;
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

// What `serve` of deno.land/std calls (until Deno 2), and most functions of some age with it; upstream's runtime has both still.
// No port of the machine is opened. A listener has one connection, which passes the requests of Deno.serve on.
const { listen } = Deno;
Deno.listen = (options = {}) => {
  const { transport = 'tcp', hostname = '0.0.0.0', port = 0 } = options;
  if (transport !== 'tcp') return listen(options);
  const addr = { transport, hostname, port };
  const closed = Promise.withResolvers();
  // Without a waiting accept() call, the rejection would be unhandled.
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

// The request came through a unix socket (http+unix://HOST/…); the function shall see the address its caller used. On
// the prototype, because a new Request object could no longer be upgraded to a WebSocket.
const scheme = get.call(Deno.env, 'SUPABASE_URL')?.startsWith('https:') ? 'https' : 'http';
const inner = Object.getOwnPropertyDescriptor(Request.prototype, 'url');
Object.defineProperty(Request.prototype, 'url', {
  ...inner,
  get() {
    const url = inner.get.call(this);
    return url.startsWith('http+unix:') ? scheme + url.slice('http+unix'.length) : url;
  },
});

const tell = (reason) => globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason } }));

// Ends when nothing that `waitUntil` was given is left; the platform kills what takes too long.
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

// The platform holds the other end of standard input and writes one letter an order: its end is the platform's, however
// that came. Waiting for it keeps nothing alive, where Deno lets that be said: a function that serves nothing shall end.
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
// Later where it does keep the process: the function's module is loaded only when nothing is pending here.
if (core === undefined) Deno.unrefTimer(setTimeout(obey, 20));
else obey();
