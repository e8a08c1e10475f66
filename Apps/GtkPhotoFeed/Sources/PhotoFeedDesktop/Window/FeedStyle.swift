internal import ImagePresentingGTK

/// The style sheet of the window.
enum FeedStyle {
    private static var isInstalled = false

    static func install() {
        guard !isInstalled else { return }
        isInstalled = true
        installStyle(
            """
            .photo-cell { margin: 4px; }
            .cell-list { padding: 8px; }
            .page-footer { padding: 8px; }
            .inspector {
                background-color: rgba(20, 20, 24, .82); color: white; font-family: monospace; font-size: smaller;
                padding: 10px; border-radius: 8px;
            }
            """)
    }
}
