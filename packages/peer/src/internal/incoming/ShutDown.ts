/** The words with which a side says that it shuts down. */

/** The message of its error objects. Their code is that of the dialect. @internal */
export const message = "Shutting down"
