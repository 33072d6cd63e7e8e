#!/usr/bin/python3
"""The window of WebKitGTK, Safari's engine, that WebKitWebDriver drives. Run with the system's Python, which has gi.

Unlike WebKit's own MiniBrowser it may be as narrow as a phone, writes what goes wrong in a page to the file that
PAGE_ERRORS names in the environment, and prints into the one that PRINTED names at the message `print`: there is no
command for it, and a driven window does nothing at `print()`.
"""

import os

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

REPORT = """(() => {
  const report = (text) => window.webkit.messageHandlers.report.postMessage(String(text));
  addEventListener("error", (event) => report(event.message), true);
  addEventListener("unhandledrejection", (event) => report(event.reason));
  addEventListener("securitypolicyviolation", (event) => report(`${event.violatedDirective} ${event.blockedURI}`));
})()"""


def create_view(session):
    content = WebKit2.UserContentManager()
    content.register_script_message_handler("report")
    content.connect("script-message-received::report", write)
    frames, start = WebKit2.UserContentInjectedFrames.ALL_FRAMES, WebKit2.UserScriptInjectionTime.START
    content.add_script(WebKit2.UserScript.new(REPORT, frames, start, None, None))
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True, user_content_manager=content)
    view.get_settings().set_property("enable-2d-canvas-acceleration", False)  # without a GPU it is four times slower
    content.register_script_message_handler("print")
    content.connect("script-message-received::print", print_to_file, view)
    window = Gtk.Window()
    window.add(view)
    window.show_all()
    return view


def write(_, result):
    with open(os.environ["PAGE_ERRORS"], "a") as file:
        print(result.get_js_value().to_string(), file=file)


def print_to_file(_, __, view):
    operation = WebKit2.PrintOperation.new(view)
    settings = Gtk.PrintSettings()
    settings.set_printer("Print to File")
    settings.set("output-uri", f"file://{os.environ['PRINTED']}")
    operation.set_print_settings(settings)
    operation.print_()


def start(_, session):
    info = WebKit2.ApplicationInfo()
    info.set_name("MiniBrowser")  # the name that Selenium asks for
    info.set_version(2, 50, 0)
    session.set_application_info(info)
    session.connect("create-web-view", create_view)


context = WebKit2.WebContext.new_ephemeral()
context.set_automation_allowed(True)
context.connect("automation-started", start)
Gtk.main()
