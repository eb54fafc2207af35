"""`neurocross serve`: an HTTP service that plans routes, and the page that shows them getting shorter.

app      routes over HTTP               schemas   what they take and answer
jobs     the life of a job              store     where jobs live: one SQLite file
pool     worker processes, from here    worker    what runs inside one
guard    who may ask, and headers       page/     the built page (source: web/)
"""
