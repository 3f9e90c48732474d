"""`charlens mcp`: the server of `charlens.integrations.mcp` on standard input and output."""

from __future__ import annotations

import sys

import click

from charlens.cli.terminal import complain, shown


@click.command()
@click.argument("root", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.option("--read-only", is_flag=True, help="Do not offer tools that write files.")
def mcp(root: str, read_only: bool) -> None:
    """Serve FOLDER to an AI assistant over the Model Context Protocol, so that it can read and edit legacy files.

    The assistant starts this command and talks to it over standard input and output. It sees UTF-8; on disk, files keep
    their encoding. Nothing outside FOLDER is read or written. Requires: pip install 'charlens[cli,mcp]'.

    \b
    { "mcpServers": { "charlens": { "command": "charlens", "args": ["mcp", "/path/to/project"] } } }
    """
    try:
        from charlens.integrations.mcp import make_server

        server = make_server(root, read_only=read_only)
    except ImportError as error:
        complain(f"{shown(root)}: {error}")
        sys.exit(2)
    server.run("stdio")
