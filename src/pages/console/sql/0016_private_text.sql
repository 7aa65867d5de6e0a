-- Encrypts the text of private queries and the history with the Console's key, because `postgres` can read all tables.
-- `sealed` replaces `text`, which is then empty. Rows from earlier versions are encrypted when the server first uses
-- them (private-text.ts).
alter table _plinth.saved_queries add column sealed bytea;
alter table _plinth.sql_history add column sealed bytea;
