"""A file that is wrong is one line that names the place and says what would be right."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurocross.errors import InputError
from neurocross.io import ReadOptions, parse_problem

TSP = """NAME: a
TYPE: TSP
DIMENSION: 2
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 4
EOF
"""
EXPLICIT = """NAME: a
TYPE: TSP
DIMENSION: 3
EDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: UPPER_ROW
EDGE_WEIGHT_SECTION
1 2
3
EOF
"""
CVRP = """TYPE: CVRP
DIMENSION: 2
EDGE_WEIGHT_TYPE: EUC_2D
CAPACITY: 5
NODE_COORD_SECTION
1 0 0
2 3 4
DEMAND_SECTION
1 0
2 4
DEPOT_SECTION
1
-1
EOF
"""
CORDEAU = """2 1 2 1
0 5
1 3 4 0 1
2 6 8 0 2
3 0 0 0 0
"""
WANG = """w 2 1 0
1 0 0 2

1 3 4 9
2 6 8 9
"""
CSV = """id,kind,x,y,demand
d,depot,0,0,0
a,city,3,4,1
"""
OURS = """{"neurocross": 1,
 "depots": [{"id": "d", "x": 0, "y": 0}],
 "cities": [{"id": "a", "x": 3, "y": 4}],
 "vehicles": [{}]
}"""
VROOM = """{"vehicles": [{"id": 1, "start": [8, 47], "end": [8, 47], "capacity": [4]}],
 "jobs": [{"id": 5, "location": [8.1, 47], "delivery": [1]}]}"""
VROOM_MATRIX = """{"vehicles": [{"id": 1, "start_index": 0, "end_index": 0}],
 "jobs": [{"id": 5, "location_index": 1}],
 "matrices": {"car": {"durations": [[0, 1], [2, 0]]}}}"""

GOOD = [TSP, EXPLICIT, CVRP, CORDEAU, WANG, CSV, OURS, VROOM, VROOM_MATRIX]

WEIGHT_TYPES = "EUC_2D, CEIL_2D, MAN_2D, ATT, GEO, EXPLICIT"
JOB = "id, description, location, location_index, service, delivery, pickup"
VEHICLE = (
    "id, description, profile, start, start_index, end, end_index, capacity, max_travel_time, max_distance"
)
COLUMNS = "id, kind, x, y, lat, lon, demand, service, name"

BAD = [
    # a good file, what is changed in it, into what, and the error
    (TSP, "TYPE: TSP", "TYPE: HCP", ":2: TYPE HCP is not supported, use TSP, ATSP or CVRP"),
    (TSP, "TYPE: TSP\n", "", ": has no TYPE, give TSP, ATSP or CVRP"),
    (TSP, "DIMENSION: 2", "DIMENSION: x", ":3: DIMENSION must be a whole number, not 'x'"),
    (TSP, "DIMENSION: 2", "DIMENSION: 0", ":3: DIMENSION must be at least 1, not 0"),
    (TSP, "DIMENSION: 2", "DIMENSION: 2 3", ":3: DIMENSION must be one number, not '2 3'"),
    (TSP, "DIMENSION: 2", "DIMENSION:", ":3: DIMENSION must be one number, not ''"),
    (TSP, "DIMENSION: 2", "DIMENSION: 3", ":7: NODE_COORD_SECTION ends after 2 nodes, DIMENSION says 3"),
    (TSP, "DIMENSION: 2", "DIMENSION: 1", ":7: there are more nodes than DIMENSION says (1)"),
    (TSP, "DIMENSION: 2\n", "", ": has no DIMENSION, the number of nodes"),
    (TSP, "EUC_2D", "EUC_3D", f":4: EDGE_WEIGHT_TYPE EUC_3D is not supported, use one of {WEIGHT_TYPES}"),
    (TSP, "EDGE_WEIGHT_TYPE: EUC_2D\n", "", f": has no EDGE_WEIGHT_TYPE, use one of {WEIGHT_TYPES}"),
    (TSP, "2 3 4", "2 nan 4", ":7: x must be a finite number, not 'nan'"),
    (TSP, "2 3 4", "2 3 inf", ":7: y must be a finite number, not 'inf'"),
    (TSP, "2 3 4", "2 1e999 4", ":7: x must be a finite number, not '1e999'"),
    (TSP, "2 3 4", "2 3,5 4", ":7: x must be a finite number, not '3,5'"),
    (TSP, "2 3 4", "2 1_0 4", ":7: x must be a finite number, not '1_0'"),
    (TSP, "2 3 4", "2 ٣ 4", ":7: x must be a finite number, not '٣'"),
    (TSP, "2 3 4", "2 3", ":7: expected 3 values (node x y), found 2"),
    (TSP, "2 3 4", "2.0 3 4", ":7: the node's number must be a whole number, not '2.0'"),
    (TSP, "2 3 4", "1 3 4", ":7: node 1 is given twice"),
    (TSP, "2 3 4", "two 3 4", ":7: keyword 'two' is not supported"),
    (TSP, "NAME: a", "NAME: a\nNAME: b", ":2: NAME is given twice"),
    (TSP, "NAME: a", "NAME: a\n1 2 3", ":2: expected a keyword such as DIMENSION, found '1 2 3'"),
    (TSP, "NODE_COORD_SECTION", "FIXED_EDGES_SECTION", ":5: keyword 'FIXED_EDGES_SECTION' is not supported"),
    (TSP, "NODE_COORD_SECTION\n1 0 0\n2 3 4\n", "", ": has no NODE_COORD_SECTION"),
    (TSP, "EOF", "NODE_COORD_TYPE: THREED_COORDS", ":8: only TWOD_COORDS are supported"),
    (TSP, "EOF", "DEPOT_SECTION\n3\n-1", ":9: depot 3 is no node of this file"),
    (TSP, "EOF", "DEPOT_SECTION\n-1", ":8: there is no depot, give at least one node"),
    (TSP, "EOF", "DEPOT_SECTION\n1\n1", ":10: depot 1 is given twice"),
    (TSP, "EOF", "DEPOT_SECTION\n1\n-1 2", ":10: DEPOT_SECTION goes on after its end, -1"),
    (TSP, "EOF", "DEMAND_SECTION\n1 0", ":8: DEMAND_SECTION lacks node 2"),
    (TSP, "EOF", "DEMAND_SECTION\n1 0\n3 1", ":10: node 3 is no node of this file"),
    (TSP, "EOF", "DEMAND_SECTION\n1 0\n1 0", ":10: the demand of node 1 is given twice"),
    (TSP, "EOF", "EDGE_WEIGHT_SECTION\n1", ":8: a matrix contradicts EUC_2D, use EDGE_WEIGHT_TYPE EXPLICIT"),
    (TSP, "EOF", "VEHICLES: 0", ":8: VEHICLES must be at least 1, not 0"),
    (TSP, "EOF", "DISTANCE: -1", ":8: DISTANCE must be at least 0, not -1"),
    (TSP, "EOF", "SERVICE_TIME: nan", ":8: SERVICE_TIME must be a finite number, not 'nan'"),
    (EXPLICIT, "UPPER_ROW", "FUNCTION", ":5: EDGE_WEIGHT_FORMAT FUNCTION is not supported, use one of FULL"),
    (EXPLICIT, "EDGE_WEIGHT_FORMAT: UPPER_ROW\n", "", ": has no EDGE_WEIGHT_FORMAT, use one of FULL_MATRIX"),
    (EXPLICIT, "1 2\n3", "1 2", ":7: the matrix ends after 2 numbers, UPPER_ROW needs 3 here"),
    (EXPLICIT, "1 2\n3", "1 2\n3 4", ":8: the matrix has more numbers than UPPER_ROW needs here (3)"),
    (EXPLICIT, "1 2\n3", "1 2\n-3", ":8: a distance must be at least 0, not -3"),
    (EXPLICIT, "1 2\n3", "nan 2\n3", ":7: a distance must be a finite number, not 'nan'"),
    (EXPLICIT, "1 2\n3", "1 2\ninf", ":8: a distance must be a finite number, not 'inf'"),
    (EXPLICIT, "EDGE_WEIGHT_SECTION\n1 2\n3\n", "", ": has no EDGE_WEIGHT_SECTION, which EXPLICIT needs"),
    (EXPLICIT, "EOF", "DISPLAY_DATA_SECTION\n1 0 0\n2 0 1\n7 1 1", ":9: beside a matrix the nodes must be"),
    (CVRP, "CAPACITY: 5\n", "", ": a cvrp needs a capacity: give --capacity"),
    (CVRP, "CAPACITY: 5", "CAPACITY: -5", ":4: CAPACITY must be at least 0, not -5"),
    (CVRP, "DEMAND_SECTION\n1 0\n2 4\n", "", ": a cvrp needs demands, the file has none"),
    (CVRP, "1 0\n2 4", "1 3\n2 4", ":9: the demand of depot 1 must be 0, not 3"),
    (CVRP, "2 4\nDEPOT", "2 -4\nDEPOT", ":10: the demand must be at least 0, not -4"),
    (CORDEAU, "2 1 2 1", "1 1 2 1", ":1: type 1 (PVRP) is not supported, use 2 (MDVRP)"),
    (CORDEAU, "2 1 2 1", "2 0 2 1", ":1: the number of vehicles must be at least 1, not 0"),
    (CORDEAU, "2 1 2 1", "2 1 2 0", ":1: the number of depots must be at least 1, not 0"),
    (CORDEAU, "2 1 2 1", "2 1 3 1", ":5: the file ends after 5 lines, its first line asks for 6"),
    (CORDEAU, "2 1 2 1", "2 1 1 1", ":5: the file goes on after the 4 lines its first line asks for"),
    (CORDEAU, "0 5", "0 -5", ":2: the capacity must be at least 0, not -5"),
    (CORDEAU, "2 6 8 0 2", "2 6 8 0", ":4: expected 'number x y service demand', found 4 values"),
    (CORDEAU, "2 6 8 0 2", "1 6 8 0 2", ":4: node 1 is given twice"),
    (CORDEAU, "2 6 8 0 2", "2 6 z 0 2", ":4: y must be a finite number, not 'z'"),
    (CORDEAU, "2 6 8 0 2", "2 6 8 0 -2", ":4: the demand must be at least 0, not -2"),
    (CORDEAU, "3 0 0 0 0", "3 0 0 1 0", ":5: the service time of a depot must be 0, not 1"),
    (WANG, "w 2 1 0", "w 3 1 0", ":5: the file ends after 4 lines, its first line asks for 5"),
    (WANG, "w 2 1 0", "w 1 1 0", ":5: the file goes on after the 3 lines its first line asks for"),
    (WANG, "w 2 1 0", "w 2 0 0", ":1: the number of depots must be at least 1, not 0"),
    (WANG, "1 0 0 2", "1 0 0 0", ": a problem needs at least one vehicle"),
    (WANG, "1 0 0 2", "1 0 0 x", ":2: the number of vehicles must be a whole number, not 'x'"),
    (WANG, "2 6 8 9", "2 6", ":5: expected 'number x y' and one unused value, found 2 values"),
    (WANG, "2 6 8 9", "1 6 8 9", ":5: node 1 is given twice"),
    (WANG, "2 6 8 9", "2 6 inf 9", ":5: y must be a finite number, not 'inf'"),
    (CSV, "id,kind,x,y", "id,kind,x", ":1: give the columns x and y, or lat and lon"),
    (CSV, "x,y", "x,lat", ":1: give the columns x and y, or lat and lon"),
    (CSV, "demand", "weight", f":1: column 'weight' is unknown; known are {COLUMNS}"),
    (CSV, "demand", "x", ":1: column 'x' is given twice"),
    (CSV, "depot", "depo", ":2: kind must be depot or city, not 'depo'"),
    (CSV, "a,city", "d,city", ":3: id 'd' is given twice"),
    (CSV, "a,city", ",city", ":3: the id is empty"),
    (CSV, "3,4", "3,", ":3: y must be a finite number, not ''"),
    (CSV, "3,4", "3,nan", ":3: y must be a finite number, not 'nan'"),
    (CSV, "3,4,1", "3,4", ":3: expected 5 values (id,kind,x,y,demand), found 4"),
    (CSV, "3,4,1", "3,4,1,9", ":3: expected 5 values (id,kind,x,y,demand), found 6"),
    (CSV, "3,4,1", "3,4,-1", ":3: demand must be at least 0, not -1"),
    (CSV, "0,0,0", "0,0,2", ":2: demand of a depot must be 0, not 2"),
    (CSV, "d,depot", "d,city", ": there is no depot: give at least one line the kind 'depot'"),
    (CSV, "a,city", '"a,city', ":3: is not valid CSV: unexpected end of data"),
    (CSV, "a,city,3,4", '"a\nb",city,3,x', ":3: y must be a finite number, not 'x'"),
    (CSV, "3,4", "3,1e200", ": coords of node 1 are not finite, or too large: [3.0, 1e+200]"),
    (OURS, '"neurocross": 1', '"neurocross": 2', ": neurocross is version 2, this program reads version 1"),
    (OURS, '"neurocross": 1', '"neurocross": "1"', ': neurocross must be a whole number, not "1"'),
    (OURS, '"x": 3', '"x": NaN', ":3: NaN is not a finite number"),
    (OURS, '"x": 3', '"x": -Infinity', ":3: -Infinity is not a finite number"),
    (OURS, '"x": 3', '"x": 1e999', ":3: 1e999 is not a finite number"),
    (OURS, '"x": 3', '"name": "NaN", "x": NaN', ":3: NaN is not a finite number"),
    (OURS, '"x": 3', '"x": "3"', ': cities[0].x must be a number, not "3"'),
    (OURS, '"x": 3', '"x": true', ": cities[0].x must be a number, not true"),
    (OURS, '"x": 3', '"x": null', ": cities[0].x must be a number, not null"),
    (OURS, '"x": 3', '"x": 3, "x": 4', ": the key 'x' is given twice in one object"),
    (OURS, '"x": 3', '"x": ' + "9" * 400, ": cities[0].x is too large a number"),
    (OURS, '"x": 3', '"x": ' + "9" * 5000, ": holds a number of too many digits"),
    (OURS, '"x": 3, ', "", ": cities[0] needs x and y, and nothing else to say where it is"),
    (
        OURS,
        '"x": 3',
        '"z": 3',
        ": cities[0] has the unknown key 'z'; known are id, name, x, y, lat, lon, demand",
    ),
    (
        OURS,
        '"x": 0',
        '"demand": 1, "x": 0',
        ": depots[0] has the unknown key 'demand'; known are id, name, x, y",
    ),
    (OURS, '"id": "a"', '"id": "d"', ": node id 'd' is given twice"),
    (OURS, '"id": "a"', '"id": ""', ": id '' of node 1 must not be empty, nor begin or end with a blank"),
    (
        OURS,
        '"id": "a"',
        '"id": "\\ud800"',
        ": cities[0].id is no valid text: it holds half of a surrogate pair",
    ),
    (OURS, '"id": "a"', '"id": "a\\nb"', ": ids of node 1 must be plain text on one line, not 'a\\nb'"),
    (OURS, "[{}]", "[]", ": a problem needs at least one vehicle"),
    (OURS, "[{}]", '[{"count": -1}]', ": vehicles[0].count must be between 0 and 100000, not -1"),
    (OURS, "[{}]", '[{"start": "a"}]', ": vehicles[0].start is 'a', which is no depot's id"),
    (OURS, "[{}]", '[{"end": "d"}]', ": vehicles[0].end must be own, any, open or a list of depots' ids"),
    (OURS, "[{}]", '[{"end": []}]', ": vehicle 1 may end nowhere: give it a depot, or end 'open'"),
    (OURS, "[{}]", '[{"capacity": -1}]', ": vehicles[0].capacity must be at least 0, not -1"),
    (
        OURS,
        "[{}]",
        '[{"speed": 1}]',
        ": vehicles[0] has the unknown key 'speed'; known are count, start, end",
    ),
    (OURS, "[{}]", "{}", ": vehicles must be a list […], not {}"),
    (OURS, "[{}]", '[{}], "matrix": [[0, 1]]', ": matrix has 1 rows, one for each of the 2 nodes is needed"),
    (
        OURS,
        "[{}]",
        '[{}], "matrix": [[0, 1], [0]]',
        ": matrix[1] has 1 numbers, as many as there are rows (2)",
    ),
    (OURS, "[{}]", '[{}], "matrix": [[0, -1], [1, 0]]', ": matrix[0][1] must be at least 0, not -1"),
    (OURS, "[{}]", '[{}], "matrix": [[0, "1"], [1, 0]]', ': matrix[0][1] must be a number, not "1"'),
    (
        OURS,
        "[{}]",
        '[{}], "matrix": [[0, 1e200], [1, 0]]',
        ": node 1 cannot be reached from node 0: distance 1e+200",
    ),
    (
        OURS,
        "[{}]",
        '[{}], "matrix": [[0, 1], [1, 0]], "metric": "att"',
        ": metric contradicts the matrix: leave",
    ),
    (
        OURS,
        "[{}]",
        '[{}], "metric": "matrix"',
        ": metric must be one of euclidean, manhattan, haversine, att, geo",
    ),
    (OURS, "[{}]", '[{}], "objective": "fast"', ': objective must be one of minmax, minsum, not "fast"'),
    (OURS, "[{}]", '[{"count": 2}], "problem": "tsp"', ": a tsp has one vehicle, not 2: give --problem mtsp"),
    (OURS, "[{}]", '[{}], "unlimited_fleet": 1', ": unlimited_fleet must be true or false, not 1"),
    (
        OURS,
        "[{}]",
        '[{}], "time": 1',
        ": the document has the unknown key 'time'; known are neurocross, problem",
    ),
    (OURS, '[{"id": "d", "x": 0, "y": 0}]', "[]", ": a problem needs at least one depot"),
    (OURS, '[{"id": "d", "x": 0, "y": 0}]', "[3]", ": depots[0] must be an object {…}, not 3"),
    (
        OURS,
        ',\n "vehicles": [{}]',
        "",
        ": the file does not say how many vehicles this mtsp has: give --vehicles",
    ),
    (OURS, "\n}", "", ":4: is not valid JSON: expecting ',' delimiter (column"),
    (OURS, "\n}", "\n} x", ":5: is not valid JSON: extra data (column 3)"),
    (OURS, '"neurocross": 1,', "", ": its format is not recognised: give --format json|vroom|csv|"),
    (VROOM, '"id": 5', '"id": "5"', ': jobs[0].id must be a whole number, not "5"'),
    (VROOM, '"id": 5, ', "", ": jobs[0] lacks the key 'id'"),
    (VROOM, "[8.1, 47]", "[47, 98.1]", ": jobs[0].location[1] must be between -90 and 90, not 98.1"),
    (VROOM, "[8.1, 47]", "[8.1]", ": jobs[0].location must be [longitude, latitude]"),
    (VROOM, '"location": [8.1, 47], ', "", ": jobs[0] lacks the key 'location'"),
    (VROOM, '"delivery": [1]', '"delivery": [1, 2]', ": jobs[0].delivery has 2 dimensions, one is supported"),
    (
        VROOM,
        '"delivery": [1]',
        '"delivery": [1], "pickup": [1]',
        ": jobs[0] has a pickup where there are deliveries",
    ),
    (
        VROOM,
        '"delivery": [1]',
        '"service": 300',
        ": jobs[0].service is in seconds, but routes are measured in metres",
    ),
    (
        VROOM,
        '"delivery": [1]',
        '"location_index": 1',
        ": jobs[0].location_index needs matrices, there are none",
    ),
    (
        VROOM,
        '"start": [8, 47], ',
        "",
        ": vehicles[0] has no start: a route that begins at its first job is not",
    ),
    (
        VROOM,
        '"capacity": [4]',
        '"max_travel_time": 4',
        ": vehicles[0].max_travel_time cannot be held, as routes are",
    ),
    (
        VROOM,
        "{",
        '{"shipments": [{}], ',
        ": the document has the key 'shipments', which is not supported; use jobs",
    ),
    (
        VROOM,
        "{",
        '{"options": {}, ',
        ": the document has the key 'options', which is not supported; use jobs, ",
    ),
    *[
        (
            VROOM,
            '"delivery": [1]',
            f'"{key}": {value}',
            f": jobs[0] has the key '{key}', which is not supported; use {JOB}",
        )
        for key, value in [
            ("skills", "[1]"),
            ("priority", "10"),
            ("setup", "60"),
            ("time_windows", "[[0, 1]]"),
            ("amount", "[1]"),
            ("service_per_type", "{}"),
        ]
    ],
    *[
        (
            VROOM,
            '"capacity": [4]',
            f'"{key}": {value}',
            f": vehicles[0] has the key '{key}', which is not supported; use {VEHICLE}",
        )
        for key, value in [
            ("skills", "[1]"),
            ("time_window", "[0, 4]"),
            ("breaks", "[{}]"),
            ("costs", "{}"),
            ("speed_factor", "2"),
            ("max_tasks", "4"),
            ("steps", "[{}]"),
            ("type", '"van"'),
        ]
    ],
    (
        VROOM_MATRIX,
        '"location_index": 1',
        '"location_index": 2',
        ": jobs[0].location_index is 2, the matrix has 2 rows",
    ),
    (
        VROOM_MATRIX,
        '"location_index": 1',
        '"location": [1, 2]',
        ": jobs[0].location needs a location_index beside it",
    ),
    (
        VROOM_MATRIX,
        "[2, 0]",
        "[2]",
        ": matrices.car.durations[1] has 1 numbers, as many as there are rows (2)",
    ),
    (VROOM_MATRIX, "[2, 0]", "[-2, 0]", ": matrices.car.durations[1][0] must be at least 0, not -2"),
    (VROOM_MATRIX, '"car"', '"bike"', ": matrices has the unknown key 'bike'; known are car"),
    (
        VROOM_MATRIX,
        "durations",
        "costs",
        ": matrices.car has the unknown key 'costs'; known are durations, distances",
    ),
    (
        VROOM_MATRIX,
        '{"durations"',
        '{"distances": [], "durations"',
        ": matrices.car must give durations or distances",
    ),
    (
        VROOM_MATRIX,
        '"end_index": 0',
        '"max_distance": 5',
        ": vehicles[0].max_distance cannot be held, as routes are",
    ),
    (
        VROOM_MATRIX.replace('"end_index": 0', '"max_travel_time": 5'),
        '"location_index": 1',
        '"location_index": 1, "service": 3',
        ": vehicles[0].max_travel_time leaves out service, our limits count it: give jobs no service",
    ),
    (
        VROOM_MATRIX,
        '[{"id": 1, "start_index": 0, "end_index": 0}]',
        '[{"id": 1, "start_index": 0}, {"id": 2, "start_index": 0, "profile": "bike"}]',
        ": vehicles have different profiles, only one for all is supported",
    ),
    (
        VROOM_MATRIX,
        '{"id": 5, "location_index": 1}',
        '{"id": 5, "location_index": 1}, {"id": 5, "location_index": 1}',
        ": jobs[1].id is 5, which is given twice",
    ),
]


PIECES = [
    "",
    "0",
    "-1",
    "nan",
    "1e999",
    "9" * 30,
    '"',
    "{",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\0",
    "é",
    "null",
    "EOF",
    "DEPOT_SECTION",
]


def options_for(text: str) -> ReadOptions:
    return ReadOptions(vehicles=2) if text is CSV else ReadOptions()


@pytest.mark.parametrize("text", GOOD)
def test_the_files_below_are_right_before_they_are_changed(text):
    assert parse_problem(text, options=options_for(text)).n_cities >= 1


@pytest.mark.parametrize(("text", "part", "other", "message"), BAD)
def test_a_wrong_file_is_one_line_that_names_the_place(text, part, other, message):
    assert part in text
    with pytest.raises(InputError) as error:
        parse_problem(text.replace(part, other, 1), None, "file", options_for(text))
    assert str(error.value).startswith(f"file{message}")
    assert "\n" not in str(error.value)


def test_a_latitude_beyond_the_pole_is_named_with_its_line():
    with pytest.raises(InputError, match=r"^file:3: lat must be between -90 and 90 degrees, not 91$"):
        parse_problem("id,kind,lat,lon\nd,depot,0,0\na,city,91,0\n", None, "file", ReadOptions(vehicles=1))


@pytest.mark.parametrize("text", ["d,depot,0,0\n", "a;b\n1;2\n", "kind,x,y\ndepot,0,0\n"])
def test_a_table_needs_its_header(text):
    with pytest.raises(InputError, match=r"^f\.csv:1: .*the first line must name the columns"):
        parse_problem(text, None, "f.csv", ReadOptions(vehicles=1))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[]", "{}", "3", "{", '"x"', "null"])
@pytest.mark.parametrize("format", ["json", "vroom"])
def test_garbage_is_never_a_traceback(text, format):
    with pytest.raises(InputError, match=r"^file:"):
        parse_problem(text, format, "file")


@settings(max_examples=500)
@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 9), st.sampled_from(PIECES))),
)
def test_damage_anywhere_in_a_file_is_an_error_or_another_problem(text, damages):
    options = options_for(text)
    for place, length, piece in damages:
        at = place % len(text)
        text = text[:at] + piece + text[at + length :] or " "
    try:
        problem = parse_problem(text, None, "file", options)
    except InputError as error:
        assert str(error).startswith("file")
        assert len(str(error).splitlines()) == 1
    else:
        assert problem.n_depots >= 1
