"""A server of jsonrpclib-pelix over HTTP."""
from jsonrpclib.SimpleJSONRPCServer import SimpleJSONRPCServer

server = SimpleJSONRPCServer(("127.0.0.1", 0), logRequests=False)
server.register_function(lambda a, b: a + b, "add")
print(f"http://127.0.0.1:{server.socket.getsockname()[1]}/", flush=True)
server.serve_forever()
