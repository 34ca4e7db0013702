"""A server of python-lsp-jsonrpc over stdio, where it writes a header before each message."""
import sys

from pylsp_jsonrpc.dispatchers import MethodDispatcher
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter


class Server(MethodDispatcher):
    def m_add(self, a, b):
        return {"sum": a + b}


writer = JsonRpcStreamWriter(sys.stdout.buffer)
endpoint = Endpoint(Server(), writer.write)
JsonRpcStreamReader(sys.stdin.buffer).listen(endpoint.consume)
