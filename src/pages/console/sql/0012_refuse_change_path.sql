-- The function contains no unqualified names, but all of Plinth's functions set a search_path because upstream's
-- advisors require it.
alter function _plinth.refuse_change() set search_path = pg_catalog, pg_temp;
