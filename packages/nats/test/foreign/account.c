// JSON-RPC 2.0 over plain requests of NATS, by its client for C: `account call URL SUBJECT TEXT…` prints the reply to each
// text, `account serve URL SUBJECT QUEUE` answers `add` as one member of a queue and says "ready".
#include <nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(natsStatus status, const char *what)
{
    if (status == NATS_OK) return;
    fprintf(stderr, "%s: %s\n", what, natsStatus_GetText(status));
    exit(1);
}

static void answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    char text[256] = "";
    char reply[256];
    long id = 0, one = 0, other = 0;
    const char *params, *at;

    snprintf(text, sizeof text, "%.*s", natsMsg_GetDataLength(message), natsMsg_GetData(message));
    if ((at = strstr(text, "\"id\":")) != NULL) id = atol(at + 5);
    if ((params = strstr(text, "\"params\":[")) != NULL) sscanf(params + 10, "%ld,%ld", &one, &other);
    if (strstr(text, "\"method\":\"add\"") != NULL)
        snprintf(reply, sizeof reply, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%ld}", id, one + other);
    else
        snprintf(reply, sizeof reply, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32601,\"message\":\"no\"}}", id);
    if (natsMsg_GetReply(message) != NULL)
        check(natsConnection_PublishString(connection, natsMsg_GetReply(message), reply), "reply");
    natsMsg_Destroy(message);
}

int main(int count, char **words)
{
    natsConnection *connection = NULL;
    natsSubscription *subscription = NULL;
    natsMsg *reply = NULL;
    int index;

    if (count < 5) return 64;
    check(natsConnection_ConnectTo(&connection, words[2]), "connect");
    if (strcmp(words[1], "serve") == 0)
    {
        check(natsConnection_QueueSubscribe(&subscription, connection, words[3], words[4], answer, NULL), "subscribe");
        check(natsConnection_Flush(connection), "flush");
        puts("ready");
        fflush(stdout);
        // Until the test closes stdin.
        while (getchar() != EOF);
    }
    else
        for (index = 4; index < count; index++)
        {
            check(natsConnection_RequestString(&reply, connection, words[3], words[index], 10000), words[index]);
            printf("%.*s\n", natsMsg_GetDataLength(reply), natsMsg_GetData(reply));
            natsMsg_Destroy(reply);
        }
    natsSubscription_Destroy(subscription);
    natsConnection_Destroy(connection);
    nats_Close();
    return 0;
}
