import CImageLoadTool
import ImageLoadTool
import ImageLoaderKit

@main
enum Main {
    static func main() async {
        #if os(Linux)
            ImageWorker.runIfAsked()
        #endif
        hide_library_messages()
        await ImageLoadCommand.run()
    }
}
