-- It calls nothing by an unqualified name, yet every function of ours names its search_path (upstream's advisors ask for it).
alter function _plinth.refuse_change() set search_path = pg_catalog, pg_temp;
