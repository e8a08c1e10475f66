import CImageLoadTool
import ImageLoadTool

@main
enum Main {
    static func main() async {
        hide_library_messages()
        await ImageLoadCommand.run()
    }
}
