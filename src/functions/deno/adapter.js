// Runs inside a function's Deno process before its main module (--preload): gives it the platform's globals and hides
// how it is hosted. Plain JavaScript, since it is loaded from beside the source as it is.
const own = new Set(['NO_COLOR', 'TMPDIR', 'PWD', 'PATH']);
const isHidden = (name) => name.startsWith('DENO_') || own.has(name);
// Hidden, not deleted: Deno itself reads its names when the function begins to serve.
const { get, has, toObject } = Deno.env;
Deno.env.get = (name) => (isHidden(name) ? undefined : get.call(Deno.env, name));
Deno.env.has = (name) => !isHidden(name) && has.call(Deno.env, name);
Deno.env.toObject = () =>
  Object.fromEntries(Object.entries(toObject.call(Deno.env)).filter(([name]) => !isHidden(name)));

const exit = Deno.exit.bind(Deno);
// A function does not end its process: other requests share it.
Deno.exit = () => undefined;

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
// the prototype, because a new Request object could no longer be upgraded to a WebSocket; and without a look at the
// request's headers, because that spoils an upgrade too.
const scheme = get.call(Deno.env, 'SUPABASE_URL')?.startsWith('https:') ? 'https' : 'http';
const inner = Object.getOwnPropertyDescriptor(Request.prototype, 'url');
Object.defineProperty(Request.prototype, 'url', {
  ...inner,
  get() {
    const url = inner.get.call(this);
    return url.startsWith('http+unix:') ? scheme + url.slice('http+unix'.length) : url;
  },
});

// Ends when nothing that `waitUntil` was given is left, at the latest after the grace the platform sends with it.
Deno.addSignalListener('SIGTERM', () => {
  globalThis.dispatchEvent(new CustomEvent('beforeunload', { detail: { reason: 'termination' } }));
  const leave = () => {
    globalThis.dispatchEvent(new Event('unload'));
    exit(0);
  };
  if (pending === 0) leave();
  else idle = leave;
});

// The platform holds the other end of standard input and writes nothing: its end is the platform's, however that came.
// From a timer that counts for nothing, since the function's module is loaded only when nothing is pending here.
async function endWithThePlatform() {
  const one = new Uint8Array(1);
  while ((await Deno.stdin.read(one)) !== null);
  exit(0);
}
Deno.unrefTimer(setTimeout(endWithThePlatform, 20));
