-- Generated from adjudicate/storage/migrations.py by `make schema`.

CREATE TABLE policies (
    fingerprint TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    version TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    compiled TEXT NOT NULL,
    adopted_at TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    dataset TEXT NOT NULL,
    format TEXT NOT NULL,
    source_name TEXT NOT NULL,
    source_sha256 TEXT NOT NULL,
    options TEXT NOT NULL,
    imported_at TEXT NOT NULL,
    software TEXT NOT NULL
) STRICT;

CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    messages TEXT,
    intent TEXT NOT NULL CHECK (intent IN ('benign', 'harmful', 'dual_use')),
    population TEXT NOT NULL,
    category TEXT NOT NULL,
    language TEXT NOT NULL,
    pair TEXT NOT NULL
) STRICT;

CREATE TABLE items (
    id TEXT PRIMARY KEY,
    prompt_id TEXT NOT NULL REFERENCES prompts (id),
    run_id TEXT NOT NULL REFERENCES runs (id),
    model TEXT NOT NULL,
    source_id TEXT,
    line INTEGER NOT NULL,
    response TEXT NOT NULL,
    source TEXT NOT NULL
) STRICT;

CREATE INDEX items_by_source_id ON items (source_id) WHERE source_id IS NOT NULL;

CREATE TABLE judges (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,
    policy TEXT NOT NULL,
    parameters TEXT NOT NULL
) STRICT;

CREATE TABLE verdicts (
    item_id TEXT NOT NULL REFERENCES items (id),
    judge_id TEXT NOT NULL REFERENCES judges (id),
    outcome TEXT,
    score REAL,
    helpfulness REAL CHECK (helpfulness BETWEEN 0 AND 100),
    safety REAL CHECK (safety BETWEEN 0 AND 100),
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    PRIMARY KEY (item_id, judge_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE annotators (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    pseudonym INTEGER NOT NULL UNIQUE CHECK (pseudonym > 0)
) STRICT;

CREATE TABLE draws (
    id TEXT PRIMARY KEY,
    extends TEXT REFERENCES draws (id),
    seed INTEGER NOT NULL,
    judge_id TEXT REFERENCES judges (id),
    policy TEXT NOT NULL REFERENCES policies (fingerprint),
    settings TEXT NOT NULL,
    strata TEXT NOT NULL,
    drawn_at TEXT NOT NULL
) STRICT;

CREATE TABLE draw_units (
    draw_id TEXT NOT NULL REFERENCES draws (id),
    item_id TEXT NOT NULL REFERENCES items (id),
    stratum TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (item_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX draw_units_by_stratum ON draw_units (draw_id, stratum, place);

CREATE TABLE picks (
    draw_id TEXT NOT NULL REFERENCES draws (id),
    item_id TEXT NOT NULL REFERENCES draw_units (item_id),
    position INTEGER NOT NULL,
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
    inclusion_probability REAL NOT NULL CHECK (inclusion_probability > 0 AND inclusion_probability <= 1),
    PRIMARY KEY (item_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX picks_by_position ON picks (position, item_id);

CREATE TABLE assignments (
    annotator_id TEXT NOT NULL REFERENCES annotators (id),
    position INTEGER NOT NULL,
    round INTEGER NOT NULL,
    item_id TEXT NOT NULL REFERENCES picks (item_id),
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
    assigned_at TEXT NOT NULL,
    PRIMARY KEY (annotator_id, position, round, item_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX assignments_by_item ON assignments (item_id, annotator_id, round);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    annotator_id TEXT NOT NULL REFERENCES annotators (id),
    seq INTEGER NOT NULL,
    previous TEXT NOT NULL,
    kind TEXT NOT NULL
        CHECK (kind IN ('label', 'skip', 'undecided', 'flag', 'note', 'contest', 'undo', 'resolution', 'gold')),
    item_id TEXT NOT NULL REFERENCES items (id),
    policy TEXT NOT NULL REFERENCES policies (fingerprint),
    at TEXT NOT NULL,
    outcome TEXT,
    mode TEXT CHECK (mode IN ('blind', 'revealed', 'assisted')),
    round INTEGER NOT NULL,
    target TEXT,
    body TEXT NOT NULL,
    UNIQUE (annotator_id, seq)
) STRICT;

CREATE INDEX events_by_item ON events (item_id, annotator_id, seq, kind, round);

CREATE INDEX events_undone ON events (target) WHERE target IS NOT NULL;

CREATE TABLE notes (
    event_id TEXT PRIMARY KEY REFERENCES events (id),
    salt TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TABLE drafts (
    annotator_id TEXT NOT NULL REFERENCES annotators (id),
    item_id TEXT NOT NULL REFERENCES items (id),
    text TEXT NOT NULL,
    PRIMARY KEY (annotator_id, item_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW live_events AS
SELECT * FROM events AS e
WHERE kind <> 'undo' AND NOT EXISTS (SELECT 1 FROM events AS u WHERE u.target = e.id AND u.kind = 'undo');

CREATE VIEW current_labels AS
SELECT * FROM live_events AS e
WHERE kind = 'label' AND round = 0 AND NOT EXISTS (
    SELECT 1 FROM live_events AS later
    WHERE later.item_id = e.item_id AND later.annotator_id = e.annotator_id
        AND later.kind = 'label' AND later.round = 0 AND later.seq > e.seq
);

CREATE VIEW settlements AS
SELECT * FROM live_events AS s
WHERE kind IN ('resolution', 'gold') AND NOT EXISTS (
    SELECT 1 FROM live_events AS better
    WHERE better.item_id = s.item_id AND better.kind IN ('resolution', 'gold')
        AND (better.kind = 'resolution', better.at, better.id) > (s.kind = 'resolution', s.at, s.id)
);

CREATE VIEW undecided AS
SELECT * FROM live_events AS e
WHERE kind = 'undecided' AND round = 0 AND NOT EXISTS (
    SELECT 1 FROM live_events AS later
    WHERE later.item_id = e.item_id AND later.annotator_id = e.annotator_id
        AND later.kind IN ('label', 'undecided') AND later.round = 0 AND later.seq > e.seq
);

CREATE VIEW disagreements AS
SELECT item_id FROM current_labels AS l
WHERE NOT EXISTS (SELECT 1 FROM settlements AS s WHERE s.item_id = l.item_id)
GROUP BY item_id HAVING count(DISTINCT outcome) > 1
UNION
SELECT item_id FROM undecided AS u
WHERE NOT EXISTS (SELECT 1 FROM settlements AS s WHERE s.item_id = u.item_id)
UNION
SELECT s.item_id FROM settlements AS s
JOIN current_labels AS l ON l.item_id = s.item_id
WHERE l.outcome <> s.outcome
    AND NOT EXISTS (SELECT 1 FROM json_each(s.body, '$.settles') AS covered WHERE covered.value = l.id);

CREATE VIEW gold_labels AS
SELECT s.item_id, s.outcome, CASE s.kind WHEN 'resolution' THEN 'adjudicated' ELSE 'recorded' END AS how
FROM settlements AS s
WHERE s.item_id NOT IN (SELECT item_id FROM disagreements)
UNION ALL
SELECT l.item_id, min(l.outcome), CASE count(*) WHEN 1 THEN 'single' ELSE 'unanimous' END
FROM current_labels AS l
WHERE NOT EXISTS (SELECT 1 FROM settlements AS s WHERE s.item_id = l.item_id)
    AND l.item_id NOT IN (SELECT item_id FROM disagreements)
GROUP BY l.item_id;

CREATE TABLE verdict_repeats (
    item_id TEXT NOT NULL REFERENCES items (id),
    judge_id TEXT NOT NULL REFERENCES judges (id),
    repeat INTEGER NOT NULL CHECK (repeat >= 1),
    outcome TEXT,
    score REAL,
    helpfulness REAL CHECK (helpfulness BETWEEN 0 AND 100),
    safety REAL CHECK (safety BETWEEN 0 AND 100),
    reason TEXT NOT NULL,
    raw TEXT NOT NULL,
    PRIMARY KEY (item_id, judge_id, repeat)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    question TEXT NOT NULL,
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    owner TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'answered', 'parked', 'released')),
    sends INTEGER NOT NULL,
    request TEXT NOT NULL,
    reply TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;

CREATE INDEX attempts_open ON attempts (run_id, question, repeat) WHERE state IN ('claimed', 'sent');

CREATE TABLE steering_signs (
    item_id TEXT PRIMARY KEY REFERENCES items (id),
    signs TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE triage_items (
    item_id TEXT PRIMARY KEY REFERENCES items (id),
    position INTEGER NOT NULL UNIQUE,
    annotator_id TEXT NOT NULL REFERENCES annotators (id),
    added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE adoptions (
    policy TEXT NOT NULL REFERENCES policies (fingerprint),
    adopted_at TEXT NOT NULL
) STRICT;
