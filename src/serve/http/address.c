/* SPDX-License-Identifier: MIT */
#include "serve/http/address.h"

#include <unistd.h>

#include "config/config.h"
#include "serve/pages/link.h"

static struct str without_slash(struct str text)
{
    while (text.len > 0 && text.ptr[text.len - 1] == '/') {
        text.len--;
    }
    return text;
}

bool address_of_request(struct buf *out, const char *base, const struct request *request)
{
    buf_add(out, without_slash(str_of(base)));
    return link_of_page(out, "", request);
}

/* "host:8467" of "0.0.0.0:8467", which is an address to listen on and none to ask. */
static void add_host(struct buf *out, struct str name)
{
    static const char *const all[] = {"0.0.0.0:", "[::]:"};
    char host[256] = "localhost";
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const struct str any = str_of(all[i]);
        if (str_starts(name, any)) {
            (void)gethostname(host, sizeof(host) - 1);
            buf_addf(out, "%s:%.*s", host, (int)(name.len - any.len), name.ptr + any.len);
            return;
        }
    }
    buf_add(out, name);
}

void address_of_server(struct buf *out, const struct config *config,
                       const struct listener *listeners, size_t count, bool encrypted,
                       const char *prefix)
{
    const struct config_section *section =
        config ? config_find(config, STR("serve"), (struct str){0}) : NULL;
    const struct str said = config_text(section, &config_serve_keys[CONFIG_SERVE_ADDRESS]);
    if (said.len > 0) {
        buf_add(out, without_slash(said));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!listeners[i].is_unix) {
            buf_addz(out, encrypted ? "https://" : "http://");
            add_host(out, str_of(listeners[i].name));
            buf_addz(out, prefix);
            return;
        }
    }
}
