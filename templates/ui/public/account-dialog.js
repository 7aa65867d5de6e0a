// Sends the one-time code of a sign-in to the page that opened the dialog. Only pages of this origin can receive it.
const query = new URLSearchParams(location.search);
// The code isn't kept in the history, and tokens in a fragment are never sent.
history.replaceState(null, '', location.pathname);
const text = (name) => query.get(name) ?? undefined;
const channel = new BroadcastChannel('plinth-account-dialog');
channel.postMessage({
  state: text('state'),
  code: text('code'),
  error: text('error_code') ?? text('error'),
  description: text('error_description'),
});
channel.close();
window.close();
