"""Bytes that the browser receives over the network."""

from playwright.sync_api import Page


class Traffic:
    """Counts the web socket messages and responses of a page, headers included."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        session = page.context.new_cdp_session(page)
        # Without these limits the renderer would keep copies.
        session.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
        session.on("Network.webSocketFrameReceived", lambda event: self._message(event["response"]))
        session.on("Network.loadingFinished", lambda event: self._add(event["encodedDataLength"]))

    def _message(self, response: dict) -> None:
        text = response["payloadData"]
        binary = response["opcode"] == 2  # sent as base64
        self._add(len(text) * 3 // 4 - text[-2:].count("=") if binary else len(text.encode()))

    def _add(self, count: float) -> None:
        self.bytes += int(count)
