-- Sets the search path of each function, as the hosted service's advisors recommend.
alter function _plinth.attempt(text, int) set search_path = pg_catalog, pg_temp;
alter function _plinth.is_own_cluster() set search_path = pg_catalog, pg_temp;
alter function _plinth.guard_new_objects() set search_path = pg_catalog, pg_temp;
