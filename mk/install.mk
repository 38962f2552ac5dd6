# install: see the issue of packaging
