"""`charlens mcp`: the server of `charlens.integrations.mcp` on standard input and output."""

from __future__ import annotations

import sys

import click

from charlens.cli.terminal import complain, shown


@click.command()
@click.argument("root", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.option("--read-only", is_flag=True, help="Only read and explain; offer no tool that writes.")
def mcp(root: str, read_only: bool) -> None:
    """Let an assistant read and edit the files under FOLDER in their own encodings, over the Model Context Protocol.

    Speaks on standard input and output, so it is started by the assistant. Nothing outside FOLDER is read or written;
    links that lead out of it are refused. Needs: pip install 'charlens[cli,mcp]'.

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
