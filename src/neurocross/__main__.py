"""`python -m neurocross`."""

from neurocross.cli import main

if __name__ == "__main__":
    main()
