import HTTPTypes

/// The page at `/`: a form that builds a URL and shows the result. With `/?source=` and an address it shows that at once.
enum LandingPage {
    static var response: ServerResponse {
        ServerResponse(
            status: 200, text: html, type: "text/html; charset=utf-8",
            headers: [.contentSecurityPolicy: policy, .cacheControl: "no-cache"])
    }

    /// The page loads nothing but results of this server.
    private static let policy = """
        default-src 'none'; img-src blob:; connect-src 'self'; style-src 'unsafe-inline'; \
        script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private static let html = String(decoding: PackageResources.landing_page_html, as: UTF8.self)
        .replacing(
            "<!--formats-->", with: OutputFormats.all.map { "<option>\($0.extensions[0])</option>" }.joined())
}
