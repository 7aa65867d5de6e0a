-- Why auth ended a session, for the browser that still has its cookie. Such a row contains no tokens.
alter table _plinth.account_sessions add column ended text;
